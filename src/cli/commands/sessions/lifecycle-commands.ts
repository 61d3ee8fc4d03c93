/** The life of a session after its first words: other titles, copies, the archive and the trash. */
import type { Command } from "commander";
import type { CommonFlags } from "../../flags.ts";
import type { CommandGroup } from "../command-group.ts";
import { examples } from "../help-texts.ts";
import { toCount } from "../option-values.ts";

const ID = "session id, part of an id, or title";

interface LifeGroup extends Pick<CommandGroup, "addCommonOptions" | "run"> {
  readonly sessions: Command;
}

export function addSessionLifeCommands(group: LifeGroup): void {
  addRename(group);
  addArchive(group);
  addFork(group);
  addDelete(group);
  addTrash(group);
}

function addRename({ sessions, addCommonOptions, run }: LifeGroup): void {
  const rename = sessions.command("rename").description("change the title of a session");
  rename
    .argument("<id>", ID)
    .argument("<title...>", "the new title")
    .addHelpText("after", examples(["roundtable sessions rename 01JD The parser, once more"]));
  addCommonOptions(rename);
  rename.action(async (id: string, title: string[], flags: CommonFlags) =>
    run(flags, async (all) => (await import("./archive.ts")).renameSession(id, title.join(" "), all)),
  );
}

function addArchive({ sessions, addCommonOptions, run }: LifeGroup): void {
  const archive = sessions
    .command("archive")
    .description("archive a session: it stays readable but accepts no messages");
  archive
    .argument("<id>", ID)
    .option("--compress", "also compress its log; it can still be listed, opened and searched")
    .addHelpText(
      "after",
      examples(["roundtable sessions archive 01JD", "roundtable sessions archive 01JD --compress"]),
    );
  addCommonOptions(archive);
  archive.action(async (id: string, flags: CommonFlags & { compress?: boolean }) =>
    run(flags, async (all) => (await import("./archive.ts")).archiveSession(id, all)),
  );
  const unarchive = sessions.command("unarchive").description("unarchive a session");
  unarchive.argument("<id>", ID).addHelpText("after", examples(["roundtable sessions unarchive 01JD"]));
  addCommonOptions(unarchive);
  unarchive.action(async (id: string, flags: CommonFlags) =>
    run(flags, async (all) => (await import("./archive.ts")).unarchiveSession(id, all)),
  );
}

function addFork({ sessions, addCommonOptions, run }: LifeGroup): void {
  const fork = sessions.command("fork").description("copy a session and print the id of the copy");
  fork
    .argument("<id>", ID)
    .option("--at <seq>", "stop at this event", toCount)
    .option("-n, --name <title>", "title of the copy")
    .option("--json", "print the id as JSON")
    .addHelpText(
      "after",
      examples(["roundtable sessions fork 01JD", "roundtable sessions fork 01JD --at 120 -n 'Another way'"]),
    );
  addCommonOptions(fork);
  fork.action(async (id: string, flags: CommonFlags & { at?: number; name?: string; json?: boolean }) =>
    run(flags, async (all) => (await import("./fork.ts")).forkSession(id, all)),
  );
}

function addDelete({ sessions, addCommonOptions, run }: LifeGroup): void {
  const remove = sessions.command("delete").description("move a session to the trash");
  remove
    .argument("<id>", ID)
    .option("-y, --yes", "skip the confirmation")
    .addHelpText("after", examples(["roundtable sessions delete 01JD", "roundtable sessions delete 01JD --yes"]));
  addCommonOptions(remove);
  remove.action(async (id: string, flags: CommonFlags & { yes?: boolean }) =>
    run(flags, async (all) => (await import("./trash.ts")).deleteSession(id, all)),
  );
}

function addTrash({ sessions, addCommonOptions, run }: LifeGroup): void {
  const trash = sessions.command("trash").description("list, restore or permanently remove deleted sessions");
  const list = trash.command("list").description("list deleted sessions, most recent first");
  list.option("--json", "one JSON array").addHelpText("after", examples(["roundtable sessions trash list"]));
  addCommonOptions(list);
  list.action(async (flags: CommonFlags & { json?: boolean }) =>
    run(flags, async (all) => (await import("./trash.ts")).listTrash(all)),
  );
  const restore = trash.command("restore").description("restore a deleted session");
  restore.argument("<id>", ID).addHelpText("after", examples(["roundtable sessions trash restore 01JD"]));
  addCommonOptions(restore);
  restore.action(async (id: string, flags: CommonFlags) =>
    run(flags, async (all) => (await import("./trash.ts")).restoreSession(id, all)),
  );
  const empty = trash.command("empty").description("permanently remove everything in the trash");
  empty
    .option("-y, --yes", "skip the confirmation")
    .addHelpText("after", examples(["roundtable sessions trash empty", "roundtable sessions trash empty --yes"]));
  addCommonOptions(empty);
  empty.action(async (flags: CommonFlags & { yes?: boolean }) =>
    run(flags, async (all) => (await import("./trash.ts")).emptyTrash(all)),
  );
  trash.addHelpText("after", examples(["roundtable sessions trash list", "roundtable sessions trash restore 01JD"]));
}
