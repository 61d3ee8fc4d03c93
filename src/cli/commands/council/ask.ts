/**
 * `council ask`: sends a message in the last session of this directory or a new one, and prints the answers until the
 * discussion is over. With --async the background server runs it, and the id is printed at once.
 */
import { attachFile } from "../../../client/index.ts";
import { newId } from "../../../kit/ids.ts";
import { granted } from "../../../protocol/index.ts";
import type { AskFlags } from "../../flags.ts";
import { ask } from "../../ask/ask.ts";
import { readAttachedFiles } from "../../ask/attached-files.ts";
import { chooseSession } from "../../ask/choose-session.ts";
import { composePrompt, readStdin } from "../../ask/prompt-input.ts";
import { jsonLine } from "../../ask/output.ts";
import { refuseKeysOfHost } from "../../chat/chat-flags.ts";
import { connectToHost } from "../../connect/connect-to-host.ts";
import { loadConfig } from "../../config/load-config.ts";
import { dataDirectory, workingDirectory } from "../../config/paths.ts";
import { prepareDataDirectory } from "../../config/data-directory.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { Failure, noteLine, usageFailure } from "../../../kit/failure.ts";
import { createMemberResolver } from "../../members/resolver.ts";
import { settingsFromFlags } from "../../sessions/defaults.ts";
import { note, stdout } from "../../terminal/stdout.ts";
import { Option } from "commander";
import { examples, type DeclareCommand } from "../command.ts";
import { collect, toNames, toRounds, toSeconds } from "../option-values.ts";
import { addCommonOptions, addConfigOption, addLimitOptions, ALLOW_UNGUARDED, EFFORT } from "../options.ts";

type CouncilAskFlags = Omit<AskFlags, "print" | "prompt" | "resume" | "continue"> & {
  new?: boolean;
  session?: string;
  async?: boolean;
};

export const declareAsk: DeclareCommand = (command, run) => {
  command
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
  addLimitOptions(command, { isQuestion: true });
  addConfigOption(command);
  addCommonOptions(command);
  command.addHelpText(
    "after",
    examples([
      'roundtable council ask "Is this lock safe?"',
      "git diff | roundtable council ask --new Review this",
      'roundtable council ask --async --rounds 2 "How should we split the parser?"',
    ]),
  );
  command.action(async (args: string[], flags: CouncilAskFlags) =>
    run(flags, (all) => askCouncil(args.join(" "), all)),
  );
};

async function askCouncil(text: string, given: CouncilAskFlags): Promise<ExitCode> {
  const { new: isNew, session, async: isAsync, ...rest } = given;
  if (isNew === true && session !== undefined) {
    throw usageFailure("--new and --session cannot be combined", "Use one of them");
  }
  const sessionFlags = session !== undefined ? { resume: session } : isNew === true ? {} : { orNew: true };
  const flags: AskFlags = { ...rest, ...sessionFlags };
  return isAsync === true ? await askLater(text, flags) : await ask(text, flags, { isCouncil: true });
}

/** Longer than for a screen, which could host the session itself. */
const SERVER_START_MS = 120_000;

async function askLater(text: string, flags: AskFlags): Promise<ExitCode> {
  const warn = (line: string) => note(noteLine(line));
  if (flags.timeout !== undefined) {
    throw usageFailure("--timeout and --async cannot be combined", "Set council.timeout to limit each turn");
  }
  if (flags.outputFormat === "stream-json") {
    const hint = "Use --json, then follow it with roundtable council watch";
    throw usageFailure("--output-format stream-json and --async cannot be combined", hint);
  }
  if (flags.allow !== undefined) {
    const hint = "Set approvals.allow in the configuration, or answer the requests in the terminal app or the page";
    throw usageFailure("--allow and --async cannot be combined", hint);
  }
  if (flags.allowUnguarded !== undefined) {
    const hint =
      "Set agents.NAME.unguarded in your configuration, or answer the request in the terminal app or the page";
    throw usageFailure("--allow-unguarded and --async cannot be combined", hint);
  }
  const cwd = workingDirectory(flags.directory);
  const files = await readAttachedFiles(flags.file);
  const stdin = readStdin({ isOptional: text.trim() !== "" || files.length > 0, warn });
  const loaded = loadConfig({ cwd, env: process.env, ...settingsFromFlags(flags) });
  refuseKeysOfHost(loaded.overridden, "it runs on the background server");
  for (const warning of loaded.warnings) warn(warning);
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  const resolver = createMemberResolver({ loaded, env: process.env, dataDir });
  const prompt = composePrompt(text, await stdin, { hasFiles: files.length > 0 });
  prepareDataDirectory(dataDir);
  const connection = await connectToHost({ dataDir, cwd, startMs: SERVER_START_MS });
  try {
    if (!connection.outlivesScreen) {
      const { whyNoServer: why } = connection;
      const what = why === undefined ? "--async needs the background server" : `--async needs a server, and ${why}`;
      const hint =
        why === undefined ? "Remove --async, or unset ROUNDTABLE_BACKGROUND" : "Remove --async to run it here";
      throw new Failure(exitCodes.failure, "no_server", what, { hint });
    }
    const { client } = connection;
    const { config, overridden } = loaded;
    const { sessionId } = await chooseSession(client, { config, overridden, resolver, flags, cwd, prompt, files });
    const clientMessageId = newId();
    const to = flags.to === undefined ? {} : { to: flags.to };
    const rounds = flags.rounds === undefined ? {} : { rounds: flags.rounds };
    const attachments = await Promise.all(files.map((file) => attachFile(client, sessionId, file)));
    const message = { text: prompt, clientMessageId, attachments, ...to, ...rounds };
    granted(await client.command(sessionId, { type: "send", ...message }));
    const asJson = flags.json === true || flags.outputFormat === "json";
    stdout.write(asJson ? jsonLine({ session_id: sessionId, client_message_id: clientMessageId }) : `${sessionId}\n`);
    return exitCodes.ok;
  } finally {
    await connection.close();
  }
}
