/** `council`: the council from scripts. */
import type { CommonFlags } from "../../flags.ts";
import { addCommands, examples, type CommandEntry, type DeclareCommand } from "../command.ts";
import { addEdgeCouncilCommands } from "../edge-commands.ts";
import { addCommonOptions } from "../options.ts";

type ListFlags = CommonFlags & { json?: boolean; all?: boolean };

const declareList: DeclareCommand = (command, run) => {
  command.option("--all", "list sessions of all directories").option("--json", "one JSON array");
  addCommonOptions(command);
  command.addHelpText("after", examples(["roundtable council list", "roundtable council list --all --json"]));
  command.action(async (flags: ListFlags) =>
    run(flags, async (all) => {
      const [{ listSessions }, { workingDirectory }] = await Promise.all([
        import("../sessions/list.ts"),
        import("../../config/paths.ts"),
      ]);
      return await listSessions(all.all === true ? all : { ...all, cwd: workingDirectory(all.directory) });
    }),
  );
};

const commands: readonly CommandEntry[] = [
  {
    name: "ask",
    summary: "send a message to the members, in the last session of this directory or a new one",
    load: async () => (await import("./ask.ts")).declareAsk,
  },
  {
    name: "show",
    summary: "show the last message and its answers",
    load: async () => (await import("./show.ts")).declareShow,
  },
  {
    name: "list",
    alias: "ls",
    summary: "list the sessions of this directory, newest first",
    load: async () => declareList,
  },
  {
    name: "status",
    summary: "show the status and process of every member for the last message",
    load: async () => (await import("./status.ts")).declareStatus,
  },
  {
    name: "watch",
    summary: "follow the answers to the last message until the members are done",
    load: async () => (await import("./watch.ts")).declareWatch,
  },
  {
    name: "retry",
    summary: "retry the members whose answer to the last message failed",
    load: async () => (await import("./retry.ts")).declareRetry,
  },
  {
    name: "minutes",
    summary: "write minutes of the last discussion and print them as Markdown",
    load: async () => (await import("./minutes.ts")).declareMinutes,
  },
  {
    name: "reset",
    summary: "clear the members' context and the screens; the log keeps everything",
    load: async () => (await import("./reset.ts")).declareReset,
  },
];

export const declareCouncil: DeclareCommand = (command, run) => {
  addCommands(command, commands, run);
  addEdgeCouncilCommands(command, run);
  command.addHelpText(
    "after",
    examples([
      'roundtable council ask "Is this lock safe?"',
      "roundtable council status",
      "roundtable council minutes > minutes.md",
    ]),
  );
};
