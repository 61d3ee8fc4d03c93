/** Conversations of other programs become sessions. */
import type { CommonFlags } from "./args.ts";
import type { CommandGroup } from "./command-group.ts";
import { examples } from "./help-texts.ts";

export function addImportCommand({ program, addCommonOptions, run }: CommandGroup): void {
  const bring = program
    .command("import")
    .description("make sessions of what other programs keep: thread trees of kingdom (kd)")
    .argument("[path]", "a thread, a .kd directory, or a directory in or above which one lies")
    .option("--list", "what there is, without importing it")
    .option("--json", "as JSON");
  addCommonOptions(bring);
  bring.addHelpText(
    "after",
    examples(["roundtable import --list", "roundtable import .kd/branches/main/threads/council-3908"]),
  );
  type Flags = CommonFlags & { list?: boolean; json?: boolean };
  bring.action(async (path: string | undefined, flags: Flags) =>
    run(flags, async (all) => (await import("./commands/import.ts")).importSessions(path, all)),
  );
}
