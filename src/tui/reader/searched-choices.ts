/** Many choices for ears: a few are read, words narrow them down, a number takes one. */
import type { Choice } from "../app/screen/port.ts";
import { numberedChoices, readNumbers } from "./numbered-choices.ts";
import type { LineOutput } from "./line-output.ts";

/** Nobody listens to more at once. */
const READ_MAX = 20;

export type SearchAnswer<Value> = { readonly value: Value } | { readonly why: string } | { readonly isAgain: true };

export interface SearchedChoices<Value> {
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
      const enter = usual() === undefined ? "" : ` An empty line takes ${query === "" ? at + 1 : 1}.`;
      const rest = more > 0 ? `${more} more are not read. ` : "";
      const how = matches.length === 0 ? "Nothing fits. " : "";
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
        return chosen === undefined ? { why: "That is no number." } : { value: chosen.value };
      }
      search(word);
      return { isAgain: true };
    },
  };
}
