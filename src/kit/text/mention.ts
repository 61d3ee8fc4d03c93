/** `@` mentions in a draft, shared by all screens: detection, ranking, quoting of file names. */

export interface Mention {
  /** Index of the at sign in the line. */
  readonly start: number;
  /** As typed, with the at sign. */
  readonly text: string;
  /** Without the at sign and the opening quote. */
  readonly query: string;
}

/** Not inside a word: an e-mail address is not a mention. */
const MENTION = /(?:^|[\s([{"'、。，；：])(@(?:"[^"]*|[^\s@"]*))$/u;

/** The mention being typed at the end of `before`, the line up to the cursor. */
export function mentionAt(before: string): Mention | undefined {
  const text = MENTION.exec(before)?.[1];
  if (text === undefined) return undefined;
  return { start: before.length - text.length, text, query: text.slice(1).replace(/^"/, "") };
}

/** Prefix matches first, then substring matches. */
export function bestFirst<Item>(items: readonly Item[], typed: string, nameOf: (item: Item) => string): Item[] {
  const wanted = typed.toLowerCase();
  const name = (item: Item) => nameOf(item).toLowerCase();
  const begins = items.filter((item) => name(item).startsWith(wanted));
  return [...begins, ...items.filter((item) => !name(item).startsWith(wanted) && name(item).includes(wanted))];
}

/** Quotes names with spaces; their end would be ambiguous otherwise. */
export function mentionOfFile(name: string): string {
  return /\s/.test(name) ? `@"${name}"` : `@${name}`;
}
