/** `@` in a draft, the same on every screen: the word it begins, what of a list fits that word, how a file is written. */

export interface Mention {
  /** Where its at sign stands in the line. */
  readonly start: number;
  /** As it is written, with the at sign. */
  readonly text: string;
  /** What is looked for: without the at sign and the quote of a name with spaces. */
  readonly query: string;
}

/** Not inside of a word: an address of mail mentions nobody. */
const MENTION = /(?:^|[\s([{"'、。，；：])(@(?:"[^"]*|[^\s@"]*))$/u;

/** The mention that is being written at the end of what stands before the cursor in its line. */
export function mentionAt(before: string): Mention | undefined {
  const text = MENTION.exec(before)?.[1];
  if (text === undefined) return undefined;
  return { start: before.length - text.length, text, query: text.slice(1).replace(/^"/, "") };
}

/** Those whose name begins with what is typed, then those that hold it. */
export function bestFirst<Item>(items: readonly Item[], typed: string, nameOf: (item: Item) => string): Item[] {
  const wanted = typed.toLowerCase();
  const name = (item: Item) => nameOf(item).toLowerCase();
  const begins = items.filter((item) => name(item).startsWith(wanted));
  return [...begins, ...items.filter((item) => !name(item).startsWith(wanted) && name(item).includes(wanted))];
}

/** A name with spaces stands in quotes, or its end could not be told. */
export function mentionOfFile(name: string): string {
  return /\s/.test(name) ? `@"${name}"` : `@${name}`;
}
