/** Finding again what was said and done in any session. */
import type { CommonFlags } from "../args.ts";
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
All words must stand in one thing: a message, an answer, a thought, a call, its output, a diff. A word is found at the
beginning of words and of the parts of names (lock finds takeLock), one with signs such as 'takeLock(' as it stands, and
'"words in quotes"' one after the other. Case and accents do not matter. What is newest comes first.
Exit codes: 0 when something was found, 1 when nothing was.
`;

export function addSearchCommand({ program, addCommonOptions, run }: CommandGroup): void {
  const search = program
    .command("search")
    .description("find what was said and done in any session")
    .argument("<words...>", "what to look for")
    .option("--member <name>", "only what this member said or did")
    .option("--since <time>", "only what is not older: 12h, 2d, 3w, or a date", (text: string) => toSince(text))
    .option("--tool <name>", "only calls of this tool, and what came of them")
    .option("--here", "only in sessions of this directory")
    .option("--limit <n>", "how many at most (default: 50, at most 200)", toCount)
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
