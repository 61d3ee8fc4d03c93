/** Choices read out with numbers, and the numbers typed for them. */
import type { Choice } from "../app/screen/port.ts";
import type { LineOutput } from "./terminal-lines.ts";

/** More are not read out at once. */
const READ_MAX = 20;

export interface NumberedChoice<Value> {
  readonly label: string;
  readonly description?: string | undefined;
  readonly value: Value;
  /** Typed instead of the number. */
  readonly letter?: string;
}

/** Leading symbols, which are visual only. */
const LEADING_MARK = /^[^\p{L}\p{N}\p{P}]+\s+/u;

export function numberedChoices(choices: readonly NumberedChoice<unknown>[], lines: LineOutput, how: string): void {
  for (const [index, { label, description, letter }] of choices.entries()) {
    const more = description === undefined || description === "" ? "" : `, ${description}`;
    lines.write(
      `${index + 1}${letter === undefined ? "" : ` or ${letter}`}: ${label.replace(LEADING_MARK, "")}${more}`,
    );
  }
  lines.write(how);
}

/** One number or several with commas; duplicates count once. */
export function readNumbers<Value>(
  line: string,
  choices: readonly NumberedChoice<Value>[],
): { readonly chosen: readonly NumberedChoice<Value>[] } | { readonly why: string } {
  const word = line.trim().toLowerCase();
  const named = choices.find(
    ({ label, letter }) => letter === word || (letter !== undefined && label.toLowerCase() === word),
  );
  if (named !== undefined) return { chosen: [named] };
  const range = choices.length === 1 ? "The only choice is 1." : `Choose a number from 1 to ${choices.length}.`;
  if (!/^\d{1,6}(?:[\s,]+\d{1,6})*$/.test(word)) return { why: `That is not a number. ${range}` };
  const chosen: NumberedChoice<Value>[] = [];
  for (const part of word.split(/[\s,]+/)) {
    const choice = choices[Number(part) - 1];
    if (choice === undefined) return { why: `There is no ${Number(part)}. ${range}` };
    if (!chosen.includes(choice)) chosen.push(choice);
  }
  return { chosen };
}

/** Many choices: a few are read, words filter, a number picks. */
export type SearchAnswer<Value> = { readonly value: Value } | { readonly why: string } | { readonly isAgain: true };

interface SearchedChoices<Value> {
  read(): void;
  handleLine(line: string): SearchAnswer<Value>;
}

export function createSearchedChoices<Value>(
  title: string,
  choices: readonly Choice<Value>[],
  { lines, at }: { readonly lines: LineOutput; readonly at: number },
): SearchedChoices<Value> {
  let query = "";
  let matches = choices;
  const usual = () => (query === "" ? matches[at] : matches.length === 1 ? matches[0] : undefined);

  function search(terms: string): void {
    query = terms;
    const wanted = terms.toLowerCase().split(/\s+/);
    matches = choices.filter(({ label, description = "" }) => {
      const text = `${label} ${description}`.toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
  }

  return {
    read() {
      const more = matches.length - READ_MAX;
      lines.write(query === "" ? `${title}:` : `${title} with "${query}", ${matches.length} of ${choices.length}:`);
      const enter = usual() === undefined ? "" : ` An empty line selects ${query === "" ? at + 1 : 1}.`;
      const rest = more > 0 ? `${more} more are not listed. ` : "";
      const how = matches.length === 0 ? "No match. " : "";
      numberedChoices(
        matches.slice(0, READ_MAX),
        lines,
        `${rest}${how}Answer with a number, with words to search for, or q for none.${enter}`,
      );
    },
    handleLine(line) {
      const word = line.trim();
      const one = usual();
      if (word === "" && one !== undefined) return { value: one.value };
      if (/^\d{1,6}$/.test(word)) {
        const read = readNumbers(word, matches);
        if ("why" in read) return read;
        const [chosen] = read.chosen;
        return chosen === undefined ? { why: "That is not a number." } : { value: chosen.value };
      }
      search(word);
      return { isAgain: true };
    },
  };
}
