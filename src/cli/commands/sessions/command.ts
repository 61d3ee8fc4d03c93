/** The care of sessions. */
import type { CommonFlags } from "../../args.ts";
import type { CommandGroup } from "../command-group.ts";
import { examples } from "../help-texts.ts";
import { addSessionLifeCommands } from "./lifecycle-commands.ts";

export function addSessionCommands({ program, addCommonOptions, run }: CommandGroup): void {
  const sessions = program.command("sessions").description("list, read, rename, archive, copy and delete sessions");
  const list = sessions.command("list").description("every session of the data directory, newest first");
  list
    .option("--json", "one JSON array")
    .addHelpText("after", examples(["roundtable sessions list", "roundtable sessions list --json | jq '.[0]'"]));
  addCommonOptions(list);
  list.action(async (flags: CommonFlags & { json?: boolean }) =>
    run(flags, async (all) => (await import("./list.ts")).listSessions(all)),
  );
  const show = sessions
    .command("show")
    .description("print a session as -p does")
    .argument("<id>", "its id, a part of it, or its title");
  show
    .option("--json", "the session's messages as JSON")
    .addHelpText("after", examples(["roundtable sessions show 01JD", "roundtable sessions show 01JD --json"]));
  addCommonOptions(show);
  show.action(async (id: string, flags: CommonFlags & { json?: boolean }) =>
    run(flags, async (all) => (await import("./list.ts")).showSession(id, all)),
  );
  addSessionLifeCommands({ sessions, addCommonOptions, run });
  sessions.addHelpText("after", examples(["roundtable sessions list", "roundtable sessions show 01JD"]));
}
