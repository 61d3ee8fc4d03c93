/** The command line: the root command, the groups of commands, and usage errors. Actions load their code when they run. */
import { Command, CommanderError, Option } from "commander";
import { nearNames } from "../kit/text/nearest-name.ts";
import { addAgentCommands } from "./commands/agents/command.ts";
import { addChatCommands } from "./commands/chat-command.ts";
import {
  addCommonOptions,
  addConfigOption,
  addLimitOptions,
  addReaderOption,
  addThemeOption,
  withOptionsAbove,
  type CommandGroup,
} from "./commands/command-group.ts";
import { addCompletionCommand, addConfigCommands } from "./commands/config/command.ts";
import { addCouncilCommands } from "./commands/council/command.ts";
import { addEdgeCommands } from "./commands/edge-commands.ts";
import { addDoctorCommand } from "./commands/doctor-command.ts";
import { exitCodes, type ExitCode } from "../kit/exit-codes.ts";
import { addExportCommand } from "./commands/export-command.ts";
import type { AskFlags, CommonFlags } from "./flags.ts";
import { usageFailure } from "../kit/failure.ts";
import { ALLOW_UNGUARDED, EFFORT, examples, rootExamples, shortHelp } from "./commands/help-texts.ts";
import { addImportCommand } from "./commands/import/command.ts";
import { collect, toNames, toRounds, toSeconds } from "./commands/option-values.ts";
import { addReplayCommand } from "./commands/replay-command.ts";
import { addServeCommands } from "./commands/serve/command.ts";
import { addSearchCommand } from "./commands/search-command.ts";
import { addSessionCommands } from "./commands/sessions/command.ts";
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

type Finish = (code: ExitCode) => void;

/** In the order of --help. */
function addGroups(group: CommandGroup): void {
  addChatCommands(group);
  addCouncilCommands(group);
  addServeCommands(group);
  addSessionCommands(group);
  addSearchCommand(group);
  addReplayCommand(group);
  addExportCommand(group);
  addImportCommand(group);
  addEdgeCommands(group);
  addAgentCommands(group);
  addDoctorCommand(group);
  addConfigCommands(group);
  addCompletionCommand(group);
}

/** Exits by throwing. */
export function createProgram(version: string, finish: Finish): Command {
  const program = new Command("roundtable")
    .description("One conversation, every coding agent at the table.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .enablePositionalOptions()
    .argument("[text...]", "question text, with -p")
    .configureHelp({ showGlobalOptions: false })
    .action(async (args: string[], flags: RootFlags) => finish(await runRoot(program, args, flags)));
  program
    .option("-p, --print [text]", "ask once, print the answers and exit")
    .option("--prompt <text>", "same as -p TEXT")
    .option("--list", "pick a session from a list; without a terminal or with --json, print the list")
    .option("--new", "open the terminal app on a new session");
  addThemeOption(program);
  addReaderOption(program);
  addAskOptions(program);
  addCommonOptions(program);
  program.addHelpText("after", rootExamples);
  addRun(program, finish);
  addGroups({
    program,
    addCommonOptions,
    run: async (flags, work) => finish(await work(withOptionsAbove(program.opts<CommonFlags>(), flags))),
  });
  addHelp(program);
  program.addOption(new Option("-v", "print the version").hideHelp());
  program.on("option:v", () => {
    stdout.write(`${version}\n`);
    throw new CommanderError(0, "commander.version", version);
  });
  for (const command of everyCommand(program)) {
    if (command !== program && command.commands.length > 0) command.helpCommand("help [command]", HELP_SUMMARY);
    command
      .exitOverride((error) => refuse(command, error))
      .configureOutput({ writeOut: (text) => stdout.write(text), outputError: () => {} });
  }
  return program;
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
  const [unknownCommand] = args;
  if (!isAsking && unknownCommand !== undefined) {
    throw usageFailure(`unknown command "${unknownCommand}"`, hintFor(program, args));
  }
  if (!isAsking && (hasTerminal || flags.screenReader === true)) return await openChat(flags);
  if (!isAsking && process.stdin.isTTY) {
    stdout.write(shortHelp);
    return exitCodes.usage;
  }
  return await ask(given.join(" "), flags);
}

/** A question without -p looks like an unknown command. */
function hintFor(program: Command, args: readonly string[]): string {
  const [unknownCommand = ""] = args;
  const known = program.commands.flatMap((command) => [command.name(), ...command.aliases()]);
  const [meant] = nearNames(unknownCommand, known, { slipsMax: 2 });
  const asking = `To ask the members: roundtable -p "${args.join(" ")}"`;
  return meant === undefined ? asking : `Did you mean roundtable ${[meant, ...args.slice(1)].join(" ")}? ${asking}`;
}

async function openChat(flags: RootFlags): Promise<ExitCode> {
  const { chat } = await import("./commands/chat.ts");
  return await chat(undefined, flags);
}

async function ask(text: string, flags: AskFlags): Promise<ExitCode> {
  const { ask } = await import("./ask/ask.ts");
  return await ask(text, flags);
}

function addRun(program: Command, finish: Finish): void {
  const run = program
    .command("run")
    .alias("exec")
    .description("ask once, like -p")
    .argument("[text...]", "the question");
  addAskOptions(run);
  addCommonOptions(run);
  run.addHelpText(
    "after",
    examples(["roundtable run Where is the config read?", "git diff | roundtable run Review this"]),
  );
  run.action(async (args: string[], flags: AskFlags) =>
    finish(await ask(args.join(" "), withOptionsAbove(program.opts<AskFlags>(), flags))),
  );
}

const HELP_SUMMARY = "show help for a command";

/** Replaces commander's help command, which prints the root help for an unknown command. */
function addHelp(program: Command): void {
  const help = program.helpCommand(false).command("help").description(HELP_SUMMARY);
  help.argument("[command...]", "a command and its subcommand").action((names: string[]) => {
    let current = program;
    for (const word of names) {
      const next = current.commands.find((command) => command.name() === word || command.aliases().includes(word));
      if (next === undefined)
        throw usageFailure(`unknown command "${names.join(" ")}"`, `See ${fullName(current)} --help`);
      current = next;
    }
    current.outputHelp();
  });
}

const ALLOW = 'in a writable session: allow matching calls in this run, such as "shell: npm test*"; repeatable';

function addAskOptions(command: Command): void {
  command
    .addOption(new Option("--output-format <format>", "output format").choices(["text", "json", "stream-json"]))
    .option("--json", "same as --output-format json")
    .option("--members <names>", "members of the new session, comma-separated", toNames)
    .option("--to <names>", "members to ask, comma-separated (default: all)", toNames)
    .option("-f, --file <path>", "attach a file; repeatable", collect)
    .option("--rounds <number>", "discussion rounds after the first answers (default: none)", toRounds)
    .option(
      "--timeout <seconds>",
      "stop after this time and exit with 3; also limits each turn of a new session",
      toSeconds,
    )
    .option(
      "-r, --resume [id]",
      "continue a session by id, part of an id, or title; without a value, pick one from a list",
    )
    .option("-c, --continue", "continue the last session of this directory")
    .option("--resume-last", "same as --continue")
    .option("--fork", "with --resume or -c: continue in a copy and leave the original unchanged")
    .option("-n, --name <title>", "title of the new session or the copy")
    .option("-m, --model <name>", "model of all members, or NAME=MODEL for one; repeatable", collect)
    .option("--effort <level>", EFFORT, collect)
    .option("--writable", "let members change files and run commands; a continued session stays writable")
    .option("--allow <rule>", ALLOW, collect)
    .option("--allow-unguarded <names>", ALLOW_UNGUARDED, toNames);
  addLimitOptions(command, { isQuestion: true });
  addConfigOption(command);
}

function refuse(command: Command, error: CommanderError): never {
  if (error.exitCode === 0 || error.code === "commander.help") throw error;
  throw usageFailure(error.message.replace(/^error: /, ""), `See ${fullName(command)} --help`);
}

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

export function* everyCommand(command: Command): Generator<Command> {
  yield command;
  for (const child of command.commands) yield* everyCommand(child);
}
