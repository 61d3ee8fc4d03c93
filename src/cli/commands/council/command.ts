/** The commands of the group `council`: the table, from scripts. */
import { Option, type Command } from "commander";
import type { CommonFlags } from "../../flags.ts";
import { addConfigOption, addLimitOptions, type CommandGroup } from "../command-group.ts";
import type { CouncilAskFlags } from "./ask.ts";
import type { MinutesFlags } from "./minutes.ts";
import type { MirrorFlags } from "./mirror.ts";
import type { ShowFlags } from "./show.ts";
import { ALLOW_UNGUARDED, EFFORT, examples } from "../help-texts.ts";
import { collect, toCount, toNames, toRounds, toSeconds } from "../option-values.ts";

interface Group extends CommandGroup {
  readonly council: Command;
}

const ID = "session id, part of an id, or title (default: the last session of this directory)";

export function addCouncilCommands(commands: CommandGroup): void {
  const description = "use the council from scripts: ask, watch, retry, minutes";
  const group: Group = { ...commands, council: commands.program.command("council").description(description) };
  group.council.addHelpText(
    "after",
    examples([
      'roundtable council ask "Is this lock safe?"',
      "roundtable council status",
      "roundtable council minutes > minutes.md",
    ]),
  );
  addAsk(group);
  addReading(group);
  addActing(group);
  addMirror(group);
}

function addAsk({ council, addCommonOptions, run }: Group): void {
  const ask = council
    .command("ask")
    .description("send a message to the members, in the last session of this directory or a new one")
    .argument("[text...]", "the message; standard input is appended")
    .option("--to <names>", "members to ask, comma-separated (default: all)", toNames)
    .option("-f, --file <path>", "attach a file; repeatable", collect)
    .option("--members <names>", "members of a new session, comma-separated", toNames)
    .option("--new", "start a new session")
    .option("-m, --model <name>", "model of all members, or NAME=MODEL for one; repeatable", collect)
    .option("--effort <level>", EFFORT, collect)
    .option("--writable", "let members change files and run commands; a continued session stays writable")
    .option("--allow <rule>", 'allow matching calls in this run, such as "shell: npm test*"; repeatable', collect)
    .option("--allow-unguarded <names>", ALLOW_UNGUARDED, toNames)
    .option("--session <id>", "use this session: id, part of an id, or title")
    .option("--rounds <number>", "discussion rounds after the first answers (default: council.auto_rounds)", toRounds)
    .option("--async", "print the session id at once; the members continue in the background")
    .option("--timeout <seconds>", "stop after this time and exit with 3", toSeconds)
    .option("--json", "the result as one JSON object")
    .addOption(new Option("--output-format <format>", "output format").choices(["text", "json", "stream-json"]));
  addLimitOptions(ask, { isQuestion: true });
  addConfigOption(ask);
  addCommonOptions(ask);
  ask.addHelpText(
    "after",
    examples([
      'roundtable council ask "Is this lock safe?"',
      "git diff | roundtable council ask --new Review this",
      'roundtable council ask --async --rounds 2 "How should we split the parser?"',
    ]),
  );
  ask.action(async (args: string[], flags: CouncilAskFlags) =>
    run(flags, async (all) => {
      const { askCouncil } = await import("./ask.ts");
      return await askCouncil(args.join(" "), all);
    }),
  );
}

function addReading({ council, addCommonOptions, run }: Group): void {
  const show = council
    .command("show")
    .description("show the last message and its answers")
    .argument("[id]", ID)
    .option("--last <number>", "show this many of the last messages", toCount)
    .option("--all", "show the whole session")
    .option("--json", "as JSON");
  addCommonOptions(show);
  show.addHelpText("after", examples(["roundtable council show", "roundtable council show 01JD --last 3"]));
  show.action(async (id: string | undefined, flags: ShowFlags) =>
    run(flags, async (all) => (await import("./show.ts")).showCouncil(id, all)),
  );
  const list = council
    .command("list")
    .alias("ls")
    .description("list the sessions of this directory, newest first")
    .option("--all", "list sessions of all directories")
    .option("--json", "one JSON array");
  addCommonOptions(list);
  list.addHelpText("after", examples(["roundtable council list", "roundtable council list --all --json"]));
  list.action(async (flags: CommonFlags & { json?: boolean; all?: boolean }) =>
    run(flags, async (all) => {
      const { listSessions } = await import("../sessions/list.ts");
      const { workingDirectory } = await import("../../config/paths.ts");
      return await listSessions(all.all === true ? all : { ...all, cwd: workingDirectory(all.directory) });
    }),
  );
  const status = council
    .command("status")
    .description("show the status and process of every member for the last message")
    .argument("[id]", ID)
    .option("--json", "as JSON");
  addCommonOptions(status);
  status.addHelpText(
    "after",
    examples(["roundtable council status", "roundtable council status --json | jq .members"]),
  );
  status.action(async (id: string | undefined, flags: CommonFlags & { json?: boolean }) =>
    run(flags, async (all) => (await import("./status.ts")).councilState(id, all)),
  );
  const watch = council
    .command("watch")
    .description("follow the answers to the last message until the members are done")
    .argument("[id]", ID);
  addCommonOptions(watch);
  watch.addHelpText("after", examples(["roundtable council watch", "roundtable council watch 01JD"]));
  watch.action(async (id: string | undefined, flags: CommonFlags) =>
    run(flags, async (all) => (await import("./watch.ts")).watchCouncil(id, all)),
  );
}

function addActing({ council, addCommonOptions, run }: Group): void {
  const retry = council
    .command("retry")
    .description("retry the members whose answer to the last message failed")
    .argument("[id]", ID)
    .option("--member <name>", "retry only this member");
  addCommonOptions(retry);
  retry.addHelpText("after", examples(["roundtable council retry", "roundtable council retry --member codex"]));
  retry.action(async (id: string | undefined, flags: CommonFlags & { member?: string }) =>
    run(flags, async (all) => (await import("./retry.ts")).retryCouncil(id, all)),
  );
  const minutes = council
    .command("minutes")
    .description("write minutes of the last discussion and print them as Markdown")
    .argument("[id]", ID)
    .option("--by <name>", "member that writes the minutes")
    .option("--json", "as JSON");
  addCommonOptions(minutes);
  minutes.addHelpText(
    "after",
    examples(["roundtable council minutes > minutes.md", "roundtable council minutes --by claude"]),
  );
  minutes.action(async (id: string | undefined, flags: MinutesFlags) =>
    run(flags, async (all) => (await import("./minutes.ts")).councilMinutes(id, all)),
  );
  const reset = council
    .command("reset")
    .description("clear the context of members and screens; the log keeps everything")
    .argument("[id]", ID);
  addCommonOptions(reset);
  reset.addHelpText("after", examples(["roundtable council reset", "roundtable council reset 01JD"]));
  reset.action(async (id: string | undefined, flags: CommonFlags) =>
    run(flags, async (all) => (await import("./reset.ts")).resetCouncil(id, all)),
  );
}

function addMirror({ council, addCommonOptions, run }: Group): void {
  const mirror = council
    .command("mirror")
    .description("keep thread files of kingdom (kd) beside a session, both ways")
    .argument("[id]", ID)
    .option("--kd <path>", "a .kd directory, a directory that holds one, or a thread in one; else the nearest")
    .option("--new", "go on in a new thread")
    .option("--off", "no longer")
    .option("--json", "as JSON");
  addCommonOptions(mirror);
  mirror.addHelpText(
    "after",
    examples([
      "roundtable council mirror",
      "roundtable council mirror 01JD --kd ~/src/project/.kd",
      "roundtable council mirror --off",
    ]),
  );
  mirror.action(async (id: string | undefined, flags: MirrorFlags) =>
    run(flags, async (all) => (await import("./mirror.ts")).mirrorCouncil(id, all)),
  );
}
