/**
 * One-shot run: asks a question, prints the answers to stdout, returns an exit code. The session is hosted in this
 * process, or reached through the process that holds it.
 */
import type { Client } from "../../client/index.ts";
import type { AskFlags } from "../flags.ts";
import { readAttachedFiles } from "./attached-files.ts";
import { colourStyle, plainStyle, wantsColour } from "../terminal/colours.ts";
import { loadConfig } from "../config/load-config.ts";
import { dataDirectory, workingDirectory } from "../config/paths.ts";
import { prepareDataDirectory } from "../config/data-directory.ts";
import { exitCodes, type ExitCode } from "../../kit/exit-codes.ts";
import { noteLine, toFailure, usageFailure } from "../../kit/failure.ts";
import { createMemberResolver } from "../members/resolver.ts";
import { settingsFromFlags } from "../sessions/defaults.ts";
import { openDevice, openHost, readTarget } from "../connect/team-server.ts";
import { note, stdout } from "../terminal/stdout.ts";
import { createApprover } from "./approver.ts";
import { createOutput, type Output } from "./output.ts";
import { composePrompt, readStdin } from "./prompt-input.ts";
import { failedResult } from "./result.ts";
import { runLimits } from "./run-limits.ts";
import { chooseSession } from "./choose-session.ts";
import { listenForStops } from "../terminal/stop-signals.ts";
import { Question } from "./question.ts";

export async function ask(text: string, flags: AskFlags, { isCouncil = false } = {}): Promise<ExitCode> {
  const startMs = performance.now();
  const output = createOutput({
    format: formatOf(flags),
    style: wantsColour(flags.color ?? "auto", process.env, stdout.isTty) ? colourStyle : plainStyle,
    write: (text) => stdout.write(text),
    writeError: note,
  });
  const run: Run = { startMs, output, isCouncil, sessionId: undefined };
  try {
    return await runQuestion(text, flags, run);
  } catch (error) {
    const failure = toFailure(error);
    output.end(failedResult(failure, run.sessionId, performance.now() - startMs), failure);
    return failure.exitCode;
  }
}

interface Run {
  startMs: number;
  output: Output;
  readonly isCouncil: boolean;
  sessionId: string | undefined;
}

async function runQuestion(text: string, flags: AskFlags, run: Run): Promise<ExitCode> {
  const cwd = workingDirectory(flags.directory);
  const approver = await createApprover(flags.allow);
  const files = await readAttachedFiles(flags.file);
  const stdin = readStdin({ isOptional: text.trim() !== "" || files.length > 0, warn });
  const flagSettings = settingsFromFlags(flags);
  const loaded = loadConfig({ cwd, env: process.env, ...flagSettings });
  for (const warning of loaded.warnings) warn(warning);
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  const notify = formatOf(flags) === "text" ? note : undefined;
  const resolver = createMemberResolver({ loaded, env: process.env, dataDir, notify });
  const prompt = composePrompt(text, await stdin, { hasFiles: files.length > 0 });
  prepareDataDirectory(dataDir);
  const host = await openHost(dataDir, flags, flagSettings.overrides);
  const { output, startMs } = run;
  const { config, overridden } = loaded;
  const limits = runLimits(overridden);
  const { allowUnguarded } = flags;
  const question = new Question({ client: host.client, output, startMs, warn, approver, allowUnguarded, limits });
  let isReportedEarly = false;
  const stops = listenForStops(
    () => question.stop("interrupted"),
    () => {
      if (!isReportedEarly) run.output.abandon(question.result());
      process.exit(exitCodes.interrupted);
    },
  );
  stdout.onError(() => question.stop("closed_output"));
  try {
    const target = flags.server === undefined ? {} : { target: async () => readTarget(await openDevice(flags), flags) };
    const choice = { config, overridden, resolver, flags, cwd, prompt, files, ...target };
    const chosen = await chooseSession(host.client, choice);
    run.sessionId = chosen.sessionId;
    resolver.introduce();
    // A one-shot run has no discussion rounds by default; `council ask` uses the session's setting.
    const rounds = flags.rounds ?? (run.isCouncil ? undefined : 0);
    const result = await question.ask(chosen, {
      text: prompt,
      files,
      ...(flags.to === undefined ? {} : { to: flags.to }),
      ...(rounds === undefined ? {} : { rounds }),
      ...(flags.timeout === undefined ? {} : { timeoutMs: flags.timeout * 1000 }),
    });
    if (question.hasLeftEmpty) await removeEmpty(host.client, run);
    await host.close(() => {
      isReportedEarly = true;
      output.end(result);
      warn("another run is still active in this session; waiting for it. Press Ctrl+C twice to stop both");
    });
    if (!isReportedEarly) output.end(result);
    await resolver.introduceWhenSearched();
    return result.exit_code;
  } catch (error) {
    if (question.hasLeftEmpty) await removeEmpty(host.client, run);
    await host.abandon();
    throw error;
  } finally {
    stops.release();
  }
}

/** Nobody could tell such a session from a lost one. */
async function removeEmpty(client: Client, run: Run): Promise<void> {
  const { sessionId } = run;
  run.sessionId = undefined;
  if (sessionId === undefined) return;
  // What the user has to know is the refusal.
  await client.deleteSession(sessionId).catch(() => {});
}

function formatOf(flags: AskFlags): "text" | "json" | "stream-json" {
  if (flags.json === true && flags.outputFormat !== undefined && flags.outputFormat !== "json") {
    throw usageFailure(`--json and --output-format ${flags.outputFormat} cannot be combined`, "Use one of them");
  }
  return flags.outputFormat ?? (flags.json === true ? "json" : "text");
}

function warn(line: string): void {
  note(noteLine(line));
}
