/** The commands of the group `council`: the table, from scripts. */
import { Option, type Command } from "commander";
import type { CommonFlags } from "../../args.ts";
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

const ID = "a session, by its id, a part of it or its title; else the last one of this directory";

export function addCouncilCommands(commands: CommandGroup): void {
  const description = "the table from scripts: ask, watch, retry, minutes";
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
    .description("a message to the table, in the last session of this directory or a new one")
    .argument("[text...]", "the message; standard input is added to it")
    .option("--to <names>", "only these members, with commas", toNames)
    .option("-f, --file <path>", "a file that goes with the message; may be given several times", collect)
    .option("--members <names>", "who sits down in a new session, with commas", toNames)
    .option("--new", "in a new session")
    .option("-m, --model <name>", "the members' model, or NAME=MODEL of one; may be given several times", collect)
    .option("--effort <level>", EFFORT, collect)
    .option("--writable", "members may change files and run commands; a session that goes on stays so")
    .option(
      "--allow <rule>",
      'calls that may run in this run, such as "shell: npm test*"; may be given several times',
      collect,
    )
    .option("--allow-unguarded <names>", ALLOW_UNGUARDED, toNames)
    .option("--session <id>", "in this session, by its id, a part of it or its title")
    .option(
      "--rounds <number>",
      "rounds of discussion after the first answers, instead of council.auto_rounds",
      toRounds,
    )
    .option("--async", "print the session's id at once; the work goes on in the background")
    .option("--timeout <seconds>", "stop and exit with 3 after this time", toSeconds)
    .option("--json", "the result as one JSON object")
    .addOption(
      new Option("--output-format <format>", "how answers are written").choices(["text", "json", "stream-json"]),
    );
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
    .description("the last message and what was said to it")
    .argument("[id]", ID)
    .option("--last <number>", "the last so many messages", toCount)
    .option("--all", "the whole session")
    .option("--json", "as JSON");
  addCommonOptions(show);
  show.addHelpText("after", examples(["roundtable council show", "roundtable council show 01JD --last 3"]));
  show.action(async (id: string | undefined, flags: ShowFlags) =>
    run(flags, async (all) => (await import("./show.ts")).showCouncil(id, all)),
  );
  const list = council
    .command("list")
    .alias("ls")
    .description("the sessions of this directory, newest first")
    .option("--all", "of every directory")
    .option("--json", "one JSON array");
  addCommonOptions(list);
  list.addHelpText("after", examples(["roundtable council list", "roundtable council list --all --json"]));
  list.action(async (flags: CommonFlags & { json?: boolean; all?: boolean }) =>
    run(flags, async (all) => {
      const { listSessions } = await import("../sessions/list.ts");
      const { workingDirectory } = await import("../../config/working-directory.ts");
      return await listSessions(all.all === true ? all : { ...all, cwd: workingDirectory(all.directory) });
    }),
  );
  const status = council
    .command("status")
    .description("how every member stands with the last message, with its process")
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
    .description("what is said to the last message, live, until the members are done")
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
    .description("ask those again whose answer to the last message failed")
    .argument("[id]", ID)
    .option("--member <name>", "only this one");
  addCommonOptions(retry);
  retry.addHelpText("after", examples(["roundtable council retry", "roundtable council retry --member codex"]));
  retry.action(async (id: string | undefined, flags: CommonFlags & { member?: string }) =>
    run(flags, async (all) => (await import("./retry.ts")).retryCouncil(id, all)),
  );
  const minutes = council
    .command("minutes")
    .description("make the record of the last discussion and print it as Markdown")
    .argument("[id]", ID)
    .option("--by <name>", "the member that writes it")
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
    .description("let members and screens begin afresh; the log keeps everything")
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
