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

/** As whom a session is read on a team's server: who reads, and whose machine it is on. */
export interface SeenAs {
  readonly me: string | undefined;
  readonly owner: string | undefined;
}

/** Undefined for what the reader wrote. What was written at the machine of the session was by its owner. */
export function authorOf(clientId: string | undefined, { me, owner }: SeenAs = NOBODY): string | undefined {
  const author = personOf(clientId) ?? (me === undefined ? undefined : owner);
  return author === me ? undefined : author;
}

/** At the machine itself nobody is known by name but those who came through the server. */
const NOBODY: SeenAs = { me: undefined, owner: undefined };
