/** Finding again what was said and done in any session. */
import type { CommonFlags } from "../flags.ts";
import type { CommandGroup } from "./command-group.ts";
import { examples } from "./help-texts.ts";
import { toCount } from "./option-values.ts";
import { toSince } from "./since.ts";

export type SearchFlags = CommonFlags & {
  member?: string;
  since?: number;
  tool?: string;
  here?: boolean;
  limit?: number;
  json?: boolean;
};

const MATCHING = `
All terms must match in one entry: a message, an answer, a thought, a call, its output or a diff. A term matches at the
start of words and of parts of names (lock finds takeLock); with punctuation, such as 'takeLock(', it matches literally;
'"quoted terms"' match in sequence. Case and accents are ignored. Newest first.
Exit codes: 0 with matches, 1 without.
`;

export function addSearchCommand({ program, addCommonOptions, run }: CommandGroup): void {
  const search = program
    .command("search")
    .description("search messages, answers and tool calls of all sessions")
    .argument("<words...>", "search terms")
    .option("--member <name>", "only messages and calls of this member")
    .option("--since <time>", "only entries since this time: 12h, 2d, 3w, or a date", (text: string) => toSince(text))
    .option("--tool <name>", "only calls of this tool and their output")
    .option("--here", "only sessions of this directory")
    .option("--limit <n>", "maximum number of matches (default: 50, at most 200)", toCount)
    .option("--json", "one JSON object");
  addCommonOptions(search);
  search.addHelpText(
    "after",
    MATCHING +
      examples([
        "roundtable search parser error",
        "roundtable search 'takeLock(' --since 2d",
        "roundtable search '\"torn tail\"' --member claude",
        "roundtable search migration --tool Bash --json | jq '.hits[0]'",
      ]),
  );
  search.action(async (terms: string[], flags: SearchFlags) =>
    run(flags, async (all) => (await import("./search.ts")).search(terms, all)),
  );
}
