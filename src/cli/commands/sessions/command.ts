/** The care of sessions. */
import type { CommonFlags } from "../../flags.ts";
import type { CommandGroup } from "../command-group.ts";
import { examples } from "../help-texts.ts";
import { addSessionLifeCommands } from "./lifecycle-commands.ts";

export function addSessionCommands({ program, addCommonOptions, run }: CommandGroup): void {
  const sessions = program.command("sessions").description("list, show, rename, archive, copy and delete sessions");
  const list = sessions.command("list").description("list all sessions, newest first");
  list
    .option("--json", "one JSON array")
    .addHelpText("after", examples(["roundtable sessions list", "roundtable sessions list --json | jq '.[0]'"]));
  addCommonOptions(list);
  list.action(async (flags: CommonFlags & { json?: boolean }) =>
    run(flags, async (all) => (await import("./list.ts")).listSessions(all)),
  );
  const show = sessions
    .command("show")
    .description("print a session")
    .argument("<id>", "session id, part of an id, or title");
  show
    .option("--json", "print the messages as JSON")
    .addHelpText("after", examples(["roundtable sessions show 01JD", "roundtable sessions show 01JD --json"]));
  addCommonOptions(show);
  show.action(async (id: string, flags: CommonFlags & { json?: boolean }) =>
    run(flags, async (all) => (await import("./list.ts")).showSession(id, all)),
  );
  addSessionLifeCommands({ sessions, addCommonOptions, run });
  sessions.addHelpText("after", examples(["roundtable sessions list", "roundtable sessions show 01JD"]));
}
