/** Who sent a command through a team's server, as its machine notes it in place of a client id. */

/** The name, the person's id, and the end of the device's id. Logs of earlier versions have no id of a person. */
const SENDER = /^(.+?)(?:\.([\dA-HJKMNP-TV-Z]{26}))?\.[\dA-HJKMNP-TV-Z]{4}$/s;

export interface TeamPerson {
  /** Never given to anybody else. Absent where only the name is known. */
  readonly id?: string | undefined;
  /** Of one person at a time: whoever joins later may have the name of somebody who was removed. */
  readonly name: string;
}

export function senderId({ id, name }: Required<TeamPerson>, device: string): string {
  return `${name}.${id}.${device.slice(-4)}`;
}

/** Undefined for whatever is used on the machine itself. */
export function senderOf(clientId: string | undefined): TeamPerson | undefined {
  const [, name, id] = SENDER.exec(clientId ?? "") ?? [];
  return name === undefined ? undefined : { id, name };
}

/** As whom a session is read on a team's server: who reads, whose machine it is on, and who is in the team now. */
export interface SeenAs {
  /** The person's id. */
  readonly me: string | undefined;
  readonly owner: TeamPerson | undefined;
  readonly people?: readonly TeamPerson[] | undefined;
}

const ASCII = /^[\0-\x7F]*$/;

/** The same for two names that differ only in case or form, on every machine and in every locale. */
export function nameKey(name: string): string {
  if (ASCII.test(name)) return name.toLowerCase();
  // In upper case some letters become several, and in lower case some do first.
  return name.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC");
}

/** Undefined for what the reader wrote. What was written at the machine of the session was by its owner. */
export function authorOf(
  clientId: string | undefined,
  { me, owner, people = [] }: SeenAs = NOBODY,
): string | undefined {
  const author = senderOf(clientId) ?? (me === undefined ? undefined : owner);
  if (author === undefined || (me !== undefined && author.id === me)) return undefined;
  return people.some((one) => isLater(one, author)) ? `${author.name} (removed)` : author.name;
}

/** Whether the name is this person's now, so that its earlier owner is no longer in the team. Ids are in order of time. */
function isLater({ id = "", name }: TeamPerson, earlier: TeamPerson): boolean {
  return id > (earlier.id ?? id) && nameKey(name) === nameKey(earlier.name);
}

/** At the machine itself nobody is known by name but those who came through the server. */
const NOBODY: SeenAs = { me: undefined, owner: undefined };
