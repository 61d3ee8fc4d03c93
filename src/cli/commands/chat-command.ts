/** The terminal app: on the server of the data directory, and on any server by its address. */
import type { CommonFlags } from "../flags.ts";
import {
  addConfigOption,
  addLimitOptions,
  addReaderOption,
  addThemeOption,
  type CommandGroup,
} from "./command-group.ts";
import { examples } from "./help-texts.ts";
import { collect, toNames } from "./option-values.ts";

const FILE = "attach a file to the first message; repeatable";

export function addChatCommands(group: CommandGroup): void {
  addChat(group);
  addAttach(group);
}

function addChat({ program, addCommonOptions, run }: CommandGroup): void {
  const chat = program
    .command("chat")
    .description("open the terminal app on the background server, starting it if needed")
    .argument("[id]", "session id, part of an id, or title (default: the last session of this directory)")
    .option("--new", "start a new session")
    .option("-r, --resume [id]", "same as the argument; without a value, pick a session from a list")
    .option("-c, --continue", "open the last session of this directory; fail if there is none")
    .option("--resume-last", "same as --continue")
    .option("-f, --file <path>", FILE, collect)
    .option("--members <names>", "start a new session with these members, comma-separated", toNames)
    .option("-n, --name <title>", "start a new session with this title")
    .option("--writable", "start a new session whose members may change files and run commands");
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
    .description("open the terminal app on the server at an address")
    .argument("<url>", "server address, such as http://127.0.0.1:4096")
    .option("-f, --file <path>", FILE, collect)
    .option("--session <id>", "session id, part of an id, or title")
    .option("--new", "start a new session");
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
