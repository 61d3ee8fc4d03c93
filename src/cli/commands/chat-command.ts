/** The terminal app: on the server of the data directory, and on any server by its address. */
import type { CommonFlags } from "../args.ts";
import {
  addConfigOption,
  addLimitOptions,
  addReaderOption,
  addThemeOption,
  type CommandGroup,
} from "./command-group.ts";
import { examples } from "./help-texts.ts";
import { collect, toNames } from "./option-values.ts";

const FILE = "a file that goes with the first message; may be given several times";

export function addChatCommands(group: CommandGroup): void {
  addChat(group);
  addAttach(group);
}

function addChat({ program, addCommonOptions, run }: CommandGroup): void {
  const chat = program
    .command("chat")
    .description("the terminal app, on the server of the data directory, which is started when none runs")
    .argument("[id]", "a session, by its id, a part of it or its title; else the last one of this directory")
    .option("--new", "a new session")
    .option("-r, --resume [id]", "the same as the argument; without one, pick it from the list")
    .option("-c, --continue", "the last session of this directory, and no other")
    .option("--resume-last", "the same as --continue")
    .option("-f, --file <path>", FILE, collect)
    .option("--members <names>", "a new session with these members, by name, with commas", toNames)
    .option("-n, --name <title>", "a new session with this title")
    .option("--writable", "a new session whose members may change files and run commands");
  addLimitOptions(chat, { isQuestion: false });
  addConfigOption(chat);
  addThemeOption(chat);
  addReaderOption(chat);
  addCommonOptions(chat);
  chat.addHelpText(
    "after",
    examples([
      "roundtable",
      "roundtable chat --new",
      "roundtable chat 01JD",
      'roundtable chat "The parser"',
      "roundtable chat --resume",
      'roundtable chat --members scout,critic -n "The parser"',
    ]),
  );
  type Flags = CommonFlags & {
    new?: boolean;
    resume?: string | true;
    continue?: boolean;
    resumeLast?: boolean;
    theme?: string;
    screenReader?: boolean;
  };
  chat.action(async (id: string | undefined, flags: Flags) =>
    run(flags, async (all) => (await import("./chat.ts")).chat(id, all)),
  );
}

function addAttach({ program, addCommonOptions, run }: CommandGroup): void {
  const attach = program
    .command("attach")
    .description("the terminal app on a server, by its address")
    .argument("<url>", "such as http://127.0.0.1:4096")
    .option("-f, --file <path>", FILE, collect)
    .option("--session <id>", "a session, by its id, a part of it or its title")
    .option("--new", "a new session");
  addThemeOption(attach);
  addReaderOption(attach);
  addCommonOptions(attach);
  attach.addHelpText(
    "after",
    examples([
      "roundtable attach http://127.0.0.1:4096",
      "ROUNDTABLE_TOKEN=… roundtable attach http://127.0.0.1:4096 --new",
    ]),
  );
  type AttachFlags = CommonFlags & { new?: boolean; session?: string; theme?: string; screenReader?: boolean };
  attach.action(async (url: string, flags: AttachFlags) =>
    run(flags, async (all) => (await import("./attach.ts")).attach(url, all)),
  );
}
