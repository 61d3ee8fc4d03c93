/** Addressees of a question under a turn limit: the first ones that fit. */

export interface Addressed {
  readonly text: string;
  readonly to?: string[];
}

export interface Within extends Addressed {
  /** Addressees beyond the limit. */
  readonly heldBack: readonly string[];
}

export interface SessionMembers {
  /** In speaking order. */
  readonly members: readonly string[];
  readonly muted: readonly string[];
  /** Resolves a leading @name that may be a file. */
  readonly cwd: string;
}

/** Throws for an unknown member, like the session. */
export async function addresseesWithin(
  turns: number,
  { text, to }: Addressed,
  { members, muted, cwd }: SessionMembers,
): Promise<Within> {
  const same = { text, ...(to === undefined ? {} : { to }), heldBack: [] };
  if (members.length <= turns) return same;
  const [{ addressOf, fileMentionIn }, { listFiles }] = await Promise.all([
    import("../../session/index.ts"),
    import("../../host/index.ts"),
  ]);
  const message = { text, to };
  const file = await fileMentionIn(message, members, (query, limit) => listFiles(cwd, query, limit));
  const address = addressOf(message, members, file);
  const isMeant = (name: string) => address.toAll || address.names.includes(name);
  const names = members.filter((name) => isMeant(name) && !muted.includes(name));
  if (names.length <= turns) return same;
  return { text: address.text, to: names.slice(0, turns), heldBack: names.slice(turns) };
}
