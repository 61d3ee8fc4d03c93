/** The command line: the root command, which asks or opens the terminal app, and all other commands below it. */
import { Command, CommanderError, Option } from "commander";
import { exitCodes, type ExitCode } from "../kit/exit-codes.ts";
import { usageFailure } from "../kit/failure.ts";
import { nearNames } from "../kit/text/nearest-name.ts";
import { allCommands } from "./commands/all-commands.ts";
import { addCommands, examples, finishDeclaration, worksHereOnly, type RunCommand } from "./commands/command.ts";
import { addEdgeCommands } from "./commands/edge-commands.ts";
import {
  addAskOptions,
  addCommonOptions,
  addReaderOption,
  addServerOption,
  addThemeOption,
  withOptionsAbove,
} from "./commands/options.ts";
import type { AskFlags, CommonFlags } from "./flags.ts";
import { stdout } from "./terminal/stdout.ts";

interface RootFlags extends AskFlags {
  list?: boolean;
  new?: boolean;
  theme?: string;
  screenReader?: boolean;
}

/** Runs the command and returns its exit code. Throws a Failure for wrong usage. */
export async function runCommandLine(args: readonly string[], version: string): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.ok;
  const program = createProgram(version, (code) => (exitCode = code));
  try {
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // A command group without a subcommand: its help is on stderr already.
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
  return exitCode;
}

/** Exits by throwing. */
export function createProgram(version: string, finish: (code: ExitCode) => void): Command {
  const program = new Command("roundtable")
    .description("One conversation, every coding agent at the table.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .enablePositionalOptions()
    .argument("[text...]", "question text, with -p")
    .configureHelp({ showGlobalOptions: false, subcommandTerm: (command) => namesOf(command).join("|") })
    .action(async (args: string[], flags: RootFlags) => finish(await runRoot(program, args, flags)));
  program
    .option("-p, --print [text]", "ask once, print the answers and exit")
    .option("--prompt <text>", "same as -p TEXT")
    .option("--list", "pick a session from a list; without a terminal or with --json, print the list")
    .option("--new", "open the terminal app on a new session");
  addThemeOption(program);
  addReaderOption(program);
  addServerOption(program, { canStart: true });
  addAskOptions(program);
  addCommonOptions(program);
  program.addHelpText("after", ROOT_HELP);
  const run: RunCommand = async (flags, work) =>
    finish(await work(withOptionsAbove(program.opts<CommonFlags>(), flags)));
  addCommands(program, allCommands, run);
  program.hook("preAction", (_, command) => refuseServer(program, command));
  addEdgeCommands(program, run);
  program.addOption(new Option("-v", "print the version").hideHelp());
  program.on("option:v", () => {
    stdout.write(`${version}\n`);
    throw new CommanderError(0, "commander.version", version);
  });
  finishDeclaration(program);
  return program;
}

/** `--server` before a command that works on this machine alone would be ignored, and so would `--on` without it. */
function refuseServer(program: Command, command: Command): void {
  const { server, on } = withOptionsAbove(program.opts<CommonFlags>(), command.opts<CommonFlags>());
  const takesServer = command.options.some(({ long }) => long === "--server");
  if (!takesServer && server !== undefined) throw worksHereOnly(command);
  if (on !== undefined && server === undefined)
    throw usageFailure("--on needs --server", "Add --server with the address of the team's server");
}

function namesOf(command: Command): string[] {
  return [command.name(), ...command.aliases()];
}

async function runRoot(program: Command, args: string[], flags: RootFlags): Promise<ExitCode> {
  const isAsking = flags.print !== undefined || flags.prompt !== undefined;
  const hasTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (flags.list === true) {
    if (hasTerminal && flags.json !== true && !isAsking) return await openChat({ ...flags, resume: true });
    const { listSessions } = await import("./commands/sessions/list.ts");
    return await listSessions(flags);
  }
  const given = [flags.prompt, flags.print, ...args].filter((word) => typeof word === "string");
  const [typed] = args;
  if (!isAsking && typed !== undefined) {
    throw usageFailure(`unknown command "${typed}"`, hintFor(program, args));
  }
  if (!isAsking && (hasTerminal || flags.screenReader === true)) return await openChat(flags);
  if (!isAsking && process.stdin.isTTY) {
    stdout.write(SHORT_HELP);
    return exitCodes.usage;
  }
  const { ask } = await import("./ask/ask.ts");
  return await ask(given.join(" "), flags);
}

/** A question without -p looks like an unknown command. */
function hintFor(program: Command, args: readonly string[]): string {
  const [typed = ""] = args;
  const known = program.commands.flatMap(namesOf);
  // Several words are rather a question: "where is it" is not a slip for "share".
  const [meant] = nearNames(typed, known, { slipsMax: args.length > 2 ? 1 : 2 });
  const asking = `To ask the members: roundtable -p "${args.join(" ")}"`;
  return meant === undefined ? asking : `Did you mean roundtable ${[meant, ...args.slice(1)].join(" ")}? ${asking}`;
}

async function openChat(flags: RootFlags): Promise<ExitCode> {
  const { chat } = await import("./commands/chat.ts");
  return await chat(undefined, flags);
}

const SHORT_HELP = `roundtable: one conversation, every coding agent at the table.

Ask once and read the answers:
  $ roundtable -p "Where is the configuration read?"

More: roundtable --help
`;

const ROOT_HELP = `${examples([
  'roundtable -p "Where is the configuration read?"',
  "git diff | roundtable -p 'Review this change'",
  "roundtable -p 'And the tests?' --resume q5mgaw",
  "roundtable -p 'What is wrong here?' -f shot.png -f error.log",
  "roundtable -p 'List the entry points' --to scout --json",
  "roundtable -p 'Fix the test' --writable --allow 'edit: src/**' --allow 'shell: npm test*'",
  "roundtable -p 'Review the parser' --max-budget-usd 2 --config council.mode=sequential",
  "roundtable run --timeout 60 -- -what does this flag do",
  "roundtable --members scout,critic",
])}
Environment:
  ROUNDTABLE_HOME             data directory          ROUNDTABLE_MEMBERS      council.members, comma-separated
  ROUNDTABLE_TIMEOUT          council.timeout         ROUNDTABLE_AUTO_ROUNDS  council.auto_rounds
  ROUNDTABLE_MODE             council.mode            ROUNDTABLE_PREAMBLE     council.preamble
  ROUNDTABLE_REQUEST_TIMEOUT  requests.timeout        NO_COLOR, FORCE_COLOR   colour
  ACCESSIBLE=1                like --screen-reader    NO_MOTION               no spinners
  ROUNDTABLE_BACKGROUND=0     never start a server    ROUNDTABLE_TOKEN        for roundtable attach

Without -p, roundtable opens the terminal app on the last session of this directory, else on a new one, or on the
session chosen by --resume, --list or --new. There, files given with -f are attached to the first message; --members,
--name, --timeout, --writable, --config and --max-… start a new session; --to, --rounds, -m, --fork, --allow,
--allow-unguarded, --json and --output-format only apply to a question with -p.

In a one-shot run, concurrent answers are printed one after the other. Members' requests are declined or left
unanswered at once, with a note on stderr, unless --allow permits them. Press Ctrl+C to stop the turns, twice to
exit at once.

Exit codes:
  0 ok  1 failure  2 usage  3 timeout  4 no such session  5 permission denied, or a call declined
  6 limit reached  7 some members failed  130 interrupted
`;
