/** Who sent a command through a team's server, as its machine notes it in place of a client id. */

/** The name, and the end of the device's id. */
const SENDER = /^(.+)\.[\dA-HJKMNP-TV-Z]{4}$/s;

export function senderId(person: string, device: string): string {
  return `${person}.${device.slice(-4)}`;
}

/** The name of the person; undefined for whatever is used on the machine itself. */
export function personOf(clientId: string | undefined): string | undefined {
  return SENDER.exec(clientId ?? "")?.[1];
}
