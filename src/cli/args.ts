/** The command line: every command, option and example in one place. Commands load their code when they are run. */
import { Command, CommanderError, Option } from "commander";
import { addCompatOptions, type CompatFlags } from "./compat-flags.ts";
import { addCouncilCommands } from "./council-commands.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { usageFailure } from "./failure.ts";
import { examples, rootExamples, shortHelp } from "./help-texts.ts";
import { toNames, toPort, toRounds, toSeconds } from "./option-values.ts";
import { stdout } from "./stdout.ts";
import { addWireCommands } from "./wire-commands.ts";

export interface CommonFlags {
  dataDir?: string;
  /** -C */
  directory?: string;
  color?: "auto" | "always" | "never";
}

export interface AskFlags extends CommonFlags {
  print?: string | boolean;
  prompt?: string;
  outputFormat?: "text" | "json" | "stream-json";
  json?: boolean;
  members?: string[];
  to?: string[];
  timeout?: number;
  /** Rounds of discussion after the first answers. */
  rounds?: number;
  /** True without an id. */
  resume?: string | true;
  continue?: boolean;
  /** In the last session of this directory, in a new one when there is none. */
  orNew?: boolean;
  name?: string;
  /** Members of a new session may change files and run commands. */
  writable?: boolean;
}

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
    if (error.exitCode === 0) return exitCodes.ok;
    // A command that only groups others was called bare: its help is on stderr already.
    if (error.code === "commander.help") return exitCodes.usage;
    throw usageFailure(error.message.replace(/^error: /, ""), "See roundtable --help");
  }
  return exitCode;
}

type Finish = (code: ExitCode) => void;

function createProgram(version: string, finish: Finish): Command {
  const program = new Command("roundtable")
    .description("One conversation, every coding agent at the table.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .enablePositionalOptions()
    .argument("[text...]", "the question, after -p")
    .configureHelp({ showGlobalOptions: false })
    .action(async (words: string[], flags: RootFlags) => finish(await runRoot(program, words, flags)));
  program
    .option("-p, --print [text]", "ask once, print the answers, exit")
    .option("--prompt <text>", "the same as -p TEXT")
    .option("--list", "list the sessions and exit")
    .option("--new", "the terminal app on a new session");
  addThemeOption(program);
  addReaderOption(program);
  addAskOptions(program);
  addCommonOptions(program);
  program.addHelpText("after", rootExamples);
  addRun(program, finish);
  addChat(program, finish);
  addCouncil(program, finish);
  addServe(program, finish);
  addSessions(program, finish);
  addImport(program, finish);
  addWires(program, finish);
  addAgents(program, finish);
  addDoctor(program, finish);
  addConfig(program, finish);
  addCompletion(program, finish);
  program.helpCommand("help [command]", "show help for a command");
  program.addOption(new Option("-v", "print the version").hideHelp());
  program.on("option:v", () => {
    stdout.write(`${version}\n`);
    throw new CommanderError(0, "commander.version", version);
  });
  for (const command of everyCommand(program)) {
    command.exitOverride().configureOutput({ writeOut: (text) => stdout.write(text), outputError: () => {} });
  }
  return program;
}

async function runRoot(program: Command, words: string[], flags: RootFlags): Promise<ExitCode> {
  const isAsking = flags.print !== undefined || flags.prompt !== undefined;
  if (flags.list === true) {
    const { listSessions } = await import("./commands/sessions.ts");
    return await listSessions(flags);
  }
  const given = [flags.prompt, flags.print, ...words].filter((word) => typeof word === "string");
  const [stray] = words;
  if (!isAsking && stray !== undefined) {
    throw usageFailure(`unknown command "${stray}"`, `To ask the table: roundtable -p "${words.join(" ")}"`);
  }
  const hasTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (!isAsking && (hasTerminal || flags.screenReader === true)) {
    const { chat } = await import("./commands/chat.ts");
    return await chat(undefined, flags);
  }
  if (!isAsking && process.stdin.isTTY) {
    stdout.write(shortHelp);
    return exitCodes.usage;
  }
  return await ask(program, given.join(" "), flags);
}

async function ask(program: Command, words: string, flags: AskFlags): Promise<ExitCode> {
  const { ask } = await import("./ask/ask.ts");
  return await ask(words, { ...program.opts<AskFlags>(), ...flags });
}

function addRun(program: Command, finish: Finish): void {
  const run = program
    .command("run")
    .alias("exec")
    .description("ask once, as -p does")
    .argument("[text...]", "the question");
  addAskOptions(run);
  addCommonOptions(run);
  run.addHelpText(
    "after",
    examples(["roundtable run Where is the config read?", "git diff | roundtable run Review this"]),
  );
  run.action(async (words: string[], flags: AskFlags) => finish(await ask(program, words.join(" "), flags)));
}

function addChat(program: Command, finish: Finish): void {
  const chat = program
    .command("chat")
    .description("the terminal app, on the server of the data directory, which is started when none runs")
    .argument("[id]", "a session, by its id or the beginning of it; else the last one of this directory")
    .option("--new", "a new session")
    .option("-r, --resume", "pick it from the list")
    .option("--writable", "members of a new session may change files and run commands");
  addThemeOption(chat);
  addReaderOption(chat);
  addCommonOptions(chat);
  chat.addHelpText(
    "after",
    examples(["roundtable", "roundtable chat --new", "roundtable chat 01JD", "roundtable chat --resume"]),
  );
  type Flags = CommonFlags & { new?: boolean; resume?: boolean; theme?: string; screenReader?: boolean };
  chat.action(async (id: string | undefined, flags: Flags) => {
    const { chat } = await import("./commands/chat.ts");
    finish(await chat(id, { ...program.opts<CommonFlags>(), ...flags }));
  });
  const attach = program
    .command("attach")
    .description("the terminal app on a server, by its address")
    .argument("<url>", "such as http://127.0.0.1:4096")
    .option("--session <id>", "a session, by its id or the beginning of it")
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
  attach.action(async (url: string, flags: AttachFlags) => {
    const { attach } = await import("./commands/attach.ts");
    finish(await attach(url, { ...program.opts<CommonFlags>(), ...flags }));
  });
}

function addCouncil(program: Command, finish: Finish): void {
  const council = program.command("council").description("the table from scripts: ask, watch, retry, minutes");
  addCouncilCommands({
    council,
    addCommonOptions,
    run: async (flags, work) => finish(await work({ ...program.opts<CommonFlags>(), ...flags })),
  });
}

function addServe(program: Command, finish: Finish): void {
  const serve = program
    .command("serve")
    .description("serve the data directory to browsers and terminals of this machine")
    .option("--port <number>", "the port; a free one when absent", toPort)
    .option("--host <address>", "only 127.0.0.1 for now")
    .addOption(new Option("--background", "print no link, and end when nobody needs the server").hideHelp())
    .addOption(new Option("--idle <seconds>", "after this time in the background").argParser(toSeconds).hideHelp());
  addCompatOptions(serve);
  addCommonOptions(serve);
  serve.addHelpText("after", examples(["roundtable serve", "roundtable serve --port 4096 -C ~/src/project"]));
  type Flags = CommonFlags & CompatFlags & { port?: number; host?: string; background?: boolean; idle?: number };
  serve.action(async (flags: Flags) => {
    const { serve } = await import("./commands/serve.ts");
    finish(await serve({ ...program.opts<CommonFlags>(), ...flags }));
  });
  const web = program
    .command("web")
    .description("open the page in the browser, and print the link, which works once")
    .option("--no-open", "only print the link");
  addCommonOptions(web);
  web.addHelpText("after", examples(["roundtable web", "roundtable web --no-open"]));
  web.action(async (flags: CommonFlags & { open?: boolean }) => {
    const { web } = await import("./commands/web.ts");
    finish(await web({ ...program.opts<CommonFlags>(), ...flags }));
  });
}

function addSessions(program: Command, finish: Finish): void {
  const sessions = program.command("sessions").description("list and read sessions");
  const list = sessions.command("list").description("every session of the data directory, newest first");
  list
    .option("--json", "one JSON array")
    .addHelpText("after", examples(["roundtable sessions list", "roundtable sessions list --json | jq '.[0]'"]));
  addCommonOptions(list);
  list.action(async (flags: CommonFlags & { json?: boolean }) => {
    const { listSessions } = await import("./commands/sessions.ts");
    finish(await listSessions({ ...program.opts<CommonFlags>(), ...flags }));
  });
  const show = sessions
    .command("show")
    .description("print a session as -p does")
    .argument("<id>", "its id, or the beginning of it");
  show
    .option("--json", "the session's messages as JSON")
    .addHelpText("after", examples(["roundtable sessions show 01JD", "roundtable sessions show 01JD --json"]));
  addCommonOptions(show);
  show.action(async (id: string, flags: CommonFlags & { json?: boolean }) => {
    const { showSession } = await import("./commands/sessions.ts");
    finish(await showSession(id, { ...program.opts<CommonFlags>(), ...flags }));
  });
  sessions.addHelpText("after", examples(["roundtable sessions list", "roundtable sessions show 01JD"]));
}

function addImport(program: Command, finish: Finish): void {
  const bring = program
    .command("import")
    .description("make sessions of what other programs keep: thread trees of kingdom (kd)")
    .argument("[path]", "a thread, a .kd directory, or a directory in or above which one lies")
    .option("--list", "what there is, without importing it")
    .option("--json", "as JSON");
  addCommonOptions(bring);
  bring.addHelpText(
    "after",
    examples(["roundtable import --list", "roundtable import .kd/branches/main/threads/council-3908"]),
  );
  type Flags = CommonFlags & { list?: boolean; json?: boolean };
  bring.action(async (path: string | undefined, flags: Flags) => {
    const { importSessions } = await import("./commands/import.ts");
    finish(await importSessions(path, { ...program.opts<CommonFlags>(), ...flags }));
  });
}

function addWires(program: Command, finish: Finish): void {
  addWireCommands({
    program,
    addCommonOptions,
    run: async (flags, work) => finish(await work({ ...program.opts<CommonFlags>(), ...flags })),
  });
}

function addAgents(program: Command, finish: Finish): void {
  const agents = program.command("agents").description("who is on this machine, and who sits down");
  agents
    .option("--json", "the list as JSON")
    .addHelpText(
      "after",
      examples([
        "roundtable agents",
        "roundtable agents --json | jq '.agents[].name'",
        "roundtable agents test claude",
      ]),
    );
  addCommonOptions(agents);
  agents.action(async (flags: CommonFlags & { json?: boolean }) => {
    const { listAgents } = await import("./commands/agents.ts");
    finish(await listAgents({ ...program.opts<CommonFlags>(), ...flags }));
  });
  const test = agents
    .command("test")
    .description("one short turn with a member: time to first text, answer, usage, or what is wrong")
    .argument("<name>", "a configured, built-in or found member");
  test
    .option("--json", "the result as JSON")
    .option("--timeout <seconds>", "stop and exit with 3 after this time", toSeconds)
    .addHelpText("after", examples(["roundtable agents test claude", "roundtable agents test codex --timeout 20"]));
  addCommonOptions(test);
  test.action(async (name: string, flags: CommonFlags & { json?: boolean; timeout?: number }) => {
    const { testAgent } = await import("./commands/agents.ts");
    finish(await testAgent(name, { ...program.opts<CommonFlags>(), ...agents.opts<CommonFlags>(), ...flags }));
  });
}

function addDoctor(program: Command, finish: Finish): void {
  const doctor = program.command("doctor").description("check the data directory without changing it");
  doctor
    .option("--json", "the findings as JSON")
    .addHelpText("after", examples(["roundtable doctor", "roundtable doctor --data-dir /backup/roundtable"]));
  addCommonOptions(doctor);
  doctor.action(async (flags: CommonFlags & { json?: boolean }) => {
    const { doctor } = await import("./commands/doctor.ts");
    finish(await doctor({ ...program.opts<CommonFlags>(), ...flags }));
  });
}

function addConfig(program: Command, finish: Finish): void {
  const config = program.command("config").description("show, describe and trust configuration");
  const show = config
    .command("show")
    .description("the configuration in effect")
    .option("--origin", "with where each key came from");
  show.addHelpText(
    "after",
    examples(["roundtable config show --origin", "ROUNDTABLE_TIMEOUT=60 roundtable config show --origin"]),
  );
  const schema = config.command("schema").description("the JSON schema of the configuration file");
  schema.addHelpText("after", examples(["roundtable config schema > roundtable.schema.json"]));
  const path = config.command("path").description("the files that are read, in order");
  path.addHelpText("after", examples(["roundtable config path"]));
  const trust = config
    .command("trust")
    .description("let a project's .roundtable/config.jsonc count, as it is now")
    .argument("[dir]", "the project");
  trust.addHelpText("after", examples(["roundtable config trust", "roundtable config trust ~/src/project"]));
  for (const command of [show, schema, path, trust]) addCommonOptions(command);
  const load = () => import("./commands/config.ts");
  const all = (flags: CommonFlags) => ({ ...program.opts<CommonFlags>(), ...flags });
  show.action(async (flags: CommonFlags & { origin?: boolean }) => finish(await (await load()).showConfig(all(flags))));
  schema.action(async () => finish((await load()).showConfigSchema()));
  path.action(async (flags: CommonFlags) => finish((await load()).showConfigPath(all(flags))));
  trust.action(async (dir: string | undefined, flags: CommonFlags) =>
    finish(await (await load()).trustProject(dir, all(flags))),
  );
  config.addHelpText("after", examples(["roundtable config show --origin", "roundtable config trust"]));
}

function addCompletion(program: Command, finish: Finish): void {
  const completion = program
    .command("completion")
    .description("a completion script for your shell")
    .argument("<shell>", "bash, zsh or fish");
  completion.addHelpText(
    "after",
    examples([
      'eval "$(roundtable completion bash)"',
      "roundtable completion fish > ~/.config/fish/completions/roundtable.fish",
    ]),
  );
  completion.action(async (shell: string) => {
    const { printCompletion } = await import("./commands/completion.ts");
    finish(printCompletion(program, shell));
  });
}

function addAskOptions(command: Command): void {
  command
    .addOption(new Option("--output-format <format>", "how to print").choices(["text", "json", "stream-json"]))
    .option("--json", "the same as --output-format json")
    .option("--members <names>", "who sits at the table, by name, with commas", toNames)
    .option("--to <names>", "who is asked, by name, with commas; everyone when absent", toNames)
    .option("--rounds <number>", "rounds of discussion after the first answers; none when absent", toRounds)
    .option("--timeout <seconds>", "stop and exit with 3 after this time", toSeconds)
    .option(
      "-r, --resume [id]",
      "go on in a session: its id or the beginning of it; without one, pick it in the terminal app",
    )
    .option("-c, --continue", "go on in the last session of this directory")
    .option("-n, --name <title>", "title of the new session")
    .option("--writable", "members of the new session may change files and run commands");
}

function addCommonOptions(command: Command): void {
  command
    .option("-C, --directory <dir>", "work in this directory")
    .option("--data-dir <dir>", "where sessions are kept")
    .addOption(new Option("--color <when>", "colour the output").choices(["auto", "always", "never"]));
}

const THEMES = [
  "auto",
  "dark",
  "light",
  "ansi",
  "high-contrast",
  "high-contrast-light",
  "colour-blind",
  "colour-blind-light",
  "none",
];

function addThemeOption(command: Command): void {
  command.addOption(new Option("--theme <name>", "how the terminal app looks").choices(THEMES));
}

function addReaderOption(command: Command): void {
  command.option("--screen-reader", "as plain lines that are only appended, for screen readers");
}

function* everyCommand(command: Command): Generator<Command> {
  yield command;
  for (const child of command.commands) yield* everyCommand(child);
}
