/**
 * `replay`: shows the events of a session's log at their recorded times. Read-only: no lock is taken and no member
 * starts.
 */
import type { SessionEvent } from "../../protocol/index.ts";
import { createPace } from "../../transcript/index.ts";
import type { CommonFlags } from "../flags.ts";
import { listenForStops } from "../terminal/stop-signals.ts";
import { isInForeground } from "../terminal/foreground.ts";
import { jsonLine } from "../ask/output.ts";
import { copyToClipboard } from "../chat/user-programs.ts";
import { wantsLines } from "../chat/run-reader.ts";
import { loadScreenSettings, loadKeysFile } from "../chat/screen-files.ts";
import { configDirectory } from "../config/paths.ts";
import { exitCodes, type ExitCode } from "../../kit/exit-codes.ts";
import { stdout } from "../terminal/stdout.ts";
import { chosenTheme } from "./chat.ts";
import { examples, type DeclareCommand } from "./command.ts";
import { withSession } from "../sessions/with-session.ts";
import { toCount, toSpeed } from "./option-values.ts";
import { addCommonOptions, addReaderOption, addThemeOption, SESSION_OR_LAST } from "./options.ts";

interface ReplayFlags extends CommonFlags {
  speed?: number;
  until?: number;
  json?: boolean;
  theme?: string;
  screenReader?: boolean;
}

export const declareReplay: DeclareCommand = (command, run) => {
  command
    .argument("[id]", SESSION_OR_LAST)
    .option("--speed <number>", "playback speed; 0 shows everything at once (default: 1)", toSpeed)
    .option("--until <seq>", "stop at this event", toCount)
    .option("--json", "print its events as JSON lines, without pauses unless --speed is given");
  addThemeOption(command);
  addReaderOption(command);
  addCommonOptions(command);
  command.addHelpText(
    "after",
    examples([
      "roundtable replay",
      "roundtable replay q5mgaw --speed 4",
      'roundtable replay "The parser" --speed 0 --until 120',
      "roundtable replay q5mgaw --json | jq .type",
    ]),
  );
  command.action(async (id: string | undefined, flags: ReplayFlags) => run(flags, (all) => replay(id, all)));
};

async function replay(given: string | undefined, flags: ReplayFlags): Promise<ExitCode> {
  const { sessionId, dataDir } = await withSession(given, flags, async (at) => at, { isReader: true });
  const { openLogReader } = await import("../../log/index.ts");
  const reader = await openLogReader({ dataDir, sessionId });
  const stop = new AbortController();
  const stops = listenForStops(
    () => stop.abort(),
    () => process.exit(exitCodes.interrupted),
  );
  // The reader of stdout is gone.
  stdout.onError(() => stop.abort());
  let isInterrupted = false;
  stop.signal.addEventListener("abort", () => (isInterrupted = stdout.error === undefined));
  try {
    const { until = Infinity } = flags;
    const events = eventsUntil(reader.read(0), until);
    const note =
      flags.until !== undefined && until > reader.committedSeq
        ? { note: `The session has only ${reader.committedSeq} events; all of them are shown.` }
        : {};
    await show({ sessionId, events, speed: flags.speed ?? 1, signal: stop.signal, ...note }, flags);
    return isInterrupted ? exitCodes.interrupted : exitCodes.ok;
  } finally {
    stops.release();
    await reader.close();
  }
}

interface Recorded {
  readonly sessionId: string;
  readonly events: AsyncIterable<readonly SessionEvent[]>;
  readonly speed: number;
  readonly note?: string;
  readonly signal: AbortSignal;
}

async function show(recorded: Recorded, flags: ReplayFlags): Promise<void> {
  if (flags.json === true) return await printEvents({ ...recorded, speed: flags.speed ?? 0 });
  if (wantsLines(flags)) {
    const { runReplayLines } = await import("../../tui/index.ts");
    return await runReplayLines({ ...recorded, write: (text) => stdout.write(text), flush: () => stdout.flush() });
  }
  const { runReplayScreen } = await import("../../tui/index.ts");
  const { env } = process;
  const configDir = configDirectory(env);
  const theme = chosenTheme(flags);
  await runReplayScreen({
    ...recorded,
    env,
    ...(theme === undefined ? {} : { theme }),
    settingsFile: loadScreenSettings(configDir),
    keysFile: loadKeysFile(configDir),
    copyText: (text) => copyToClipboard(text, env),
    isInForeground,
  });
}

async function printEvents({ events, speed, signal }: Recorded): Promise<void> {
  const pace = createPace();
  for await (const batch of events) {
    for (const event of batch) {
      const { waitMs } = pace.next(event.ts);
      if (speed > 0 && waitMs > 0) await pause(waitMs / speed, signal);
      if (signal.aborted) return;
      stdout.write(jsonLine(event));
    }
    // Back pressure: wait for a slow reader.
    await stdout.flush();
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { setTimeout: after } = await import("node:timers/promises");
  await after(ms, undefined, { signal }).catch(() => {
    // Aborted; the caller checks the signal.
  });
}

/** An event that replaces several unreadable seqs has the last of them. */
async function* eventsUntil(batches: AsyncIterable<readonly SessionEvent[]>, until: number) {
  for await (const batch of batches) {
    const wanted = batch.filter((event) => event.seq <= until);
    if (wanted.length > 0) yield wanted;
    if (wanted.length < batch.length) return;
  }
}
