/** Conversations of other programs become sessions. */
import type { CommonFlags } from "../../flags.ts";
import type { CommandGroup } from "../command-group.ts";
import { examples } from "../help-texts.ts";

export function addImportCommand({ program, addCommonOptions, run }: CommandGroup): void {
  const bring = program
    .command("import")
    .description(
      "make sessions of exported ones, and of what other programs keep: Claude Code, Codex, Pi, sprout, assistant, kingdom (kd)",
    )
    .argument("[path...]", "session files, or directories that hold some")
    .option("--list", "what there is for this directory, or in the paths, without importing it")
    .option("--all", "with --list: what the programs keep for any directory")
    .option("--format <name>", "only this format")
    .option("--json", "as JSON");
  addCommonOptions(bring);
  bring.addHelpText(
    "after",
    examples([
      "roundtable import --list",
      "roundtable import --list --all --format codex",
      "roundtable import ~/.claude/projects/-home-me-app/0b1cd0e5-1d40-4cf6-8468-9b16ce2ba533.jsonl",
      "roundtable import .kd/branches/main/threads/council-3908",
    ]),
  );
  type Flags = CommonFlags & { list?: boolean; all?: boolean; format?: string; json?: boolean };
  bring.action(async (paths: string[], flags: Flags) =>
    run(flags, async (all) => (await import("./import.ts")).importSessions(paths, all)),
  );
}
