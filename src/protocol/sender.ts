/** Who sent a command through a team's server, as its machine notes it in place of a client id. */

/** The name, the person's id, and the end of the device's id. Logs of earlier versions have no id of a person. */
const SENDER = /^(.+?)(?:\.([\dA-HJKMNP-TV-Z]{26}))?\.[\dA-HJKMNP-TV-Z]{4}$/s;

export interface TeamPerson {
  /** Never given to anybody else. Absent where only the name is known. */
  readonly id?: string | undefined;
  /** Unique only among current people: somebody who joins later may get the name of a removed person. */
  readonly name: string;
}

export function senderId({ id, name }: Required<TeamPerson>, device: string): string {
  return `${name}.${id}.${device.slice(-4)}`;
}

/** Undefined for clients on the machine itself. */
export function senderOf(clientId: string | undefined): TeamPerson | undefined {
  const [, name, id] = SENDER.exec(clientId ?? "") ?? [];
  return name === undefined ? undefined : { id, name };
}

/**
 * Perspective from which a session is read on a team's server: the reader, the machine's owner, and the current people
 * of the team.
 */
export interface SeenAs {
  /** The person's id. */
  readonly me: string | undefined;
  readonly owner: TeamPerson | undefined;
  readonly people?: readonly TeamPerson[] | undefined;
}

const ASCII = /^[\0-\x7F]*$/;

/** Key that is equal for names that differ only in case or Unicode form, on every machine and in every locale. */
export function nameKey(name: string): string {
  if (ASCII.test(name)) return name.toLowerCase();
  // Some letters expand to several in upper case, others only in lower case, so both are applied.
  return name.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC");
}

/** Undefined for the reader's own text. Text written at the session's machine is attributed to its owner. */
export function authorOf(
  clientId: string | undefined,
  { me, owner, people = [] }: SeenAs = NOBODY,
): string | undefined {
  const author = senderOf(clientId) ?? (me === undefined ? undefined : owner);
  if (author === undefined || (me !== undefined && author.id === me)) return undefined;
  return people.some((one) => isLater(one, author)) ? `${author.name} (removed)` : author.name;
}

/** True when this person now has the name, so its earlier owner is no longer in the team. Ids sort by time. */
function isLater({ id = "", name }: TeamPerson, earlier: TeamPerson): boolean {
  return id > (earlier.id ?? id) && nameKey(name) === nameKey(earlier.name);
}

/** On the machine itself only people who came through the server have names. */
const NOBODY: SeenAs = { me: undefined, owner: undefined };
