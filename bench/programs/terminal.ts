/**
 * The terminal app in a pseudo-terminal: `stream VIEW COLS ROWS RATE` streams three members at that many tokens a second
 * each over a session of 2,000 messages while keys are typed; `open` opens a session of 100,000 messages; `paint` measures
 * any program to its first text; `idle` measures the memory of the app and of its server with a new session. `prepare N`
 * creates a session of N messages.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { longSessionDrafts } from "./long-session.ts";
import { isInput, openOnScreen, type Seen } from "./on-screen.ts";
import { cpuMs, jointRssMb, rssMb } from "./process-cost.ts";
import { percentile, report, rooms } from "./product.ts";
import { saveSession } from "./saved-session.ts";
import { serveSession, type ServedSession } from "./served-session.ts";
import { SESSION } from "./session-drafts.ts";
import { startServing } from "./start-serving.ts";

const [mode, ...rest] = process.argv.slice(2);
const [view = "auto", cols = "120", rows = "40", rate = "200"] = mode === "stream" ? rest : [];
const TOKENS_PER_SECOND = Number(rate);
const TOKEN_CHARS = 4;
const STREAM_MS = 10_000;
const KEY_EVERY_MS = 240;
const SAME_FRAME_MS = 8;
const IDLE_MS = 5_000;
const DELTAS_PER_TURN = 40;
const prepared = process.env["ROUNDTABLE_BENCH_DATA"] ?? "";
/** A copy, so that runs do not affect each other. */
const scratch = mkdtempSync(path.join(tmpdir(), "roundtable-bench-"));
const dataDir = mode === "prepare" ? prepared : path.join(scratch, "data");
const program = process.env["ROUNDTABLE_BENCH_PROGRAM"] ?? "";

const WORDS =
  "The log is **appended** once, and `fdatasync` follows; see the [reader](https://example.org) for what is lost. ";
const BLOCK = `\n\n- one item\n- another item with \`code\`\n\n\`\`\`ts\nconst held = await log.append(drafts);\nif (!held.ok) throw new Error("full");\n\`\`\`\n\n`;
const SPEECH = (WORDS.repeat(6) + BLOCK).repeat(60);

/** A running server of the data directory, for the program to find. */
async function serve(): Promise<ServedSession> {
  const { claimServer } = await rooms();
  const manifest = readFileSync(path.join(path.dirname(program), "../package.json"), "utf8");
  const { version } = JSON.parse(manifest) as { version: string };
  const text = SPEECH.slice(0, (TOKENS_PER_SECOND * TOKEN_CHARS * STREAM_MS) / 1_000);
  const speech = { text, deltaChars: TOKEN_CHARS, deltasPerSecond: TOKENS_PER_SECOND };
  const served = await serveSession({ dataDir, version, speech });
  await claimServer(dataDir, { url: served.url, pid: process.pid, version, socket: served.socket }, served.token);
  return served;
}

const isShown = (rows: readonly string[]) => rows.some((row) => row.includes("fourth file"));

/** Finds the running server of the data directory, as for users. */
function start(...args: string[]): Seen {
  return openOnScreen(process.execPath, [program, "chat", "--data-dir", dataDir, ...args], {
    cwd: scratch,
    env: { XDG_CONFIG_HOME: scratch },
    size: { cols: Number(cols), rows: Number(rows) },
  });
}

/** The compile cache is written on a normal exit. */
async function startAndLeave(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const seen = start("--new");
  seen.pty.onExit(() => resolve());
  await seen.sees((rows) => rows.some(isInput), "the input");
  seen.pty.write("\u0004");
  await promise;
}

async function attach(): Promise<{ seen: Seen; server: ServedSession; openedMs: number }> {
  const server = await serve();
  await startAndLeave();
  const seen = start(SESSION);
  const openedAt = await seen.sees(isShown, "the end of the session");
  return { seen, server, openedMs: openedAt - seen.startedAt };
}

/** Chunks of one frame arrive together. */
function updatesOf(chunks: readonly number[]): number[] {
  return chunks.filter((at, index) => at - (chunks[index - 1] ?? 0) > SAME_FRAME_MS);
}

const ascending = (a: number, b: number) => a - b;

async function stream(): Promise<void> {
  const { seen, server } = await attach();
  const { pid } = seen.pty;
  await seen.sees((rows) => rows.some(isInput), "the input");
  if (view !== "auto") seen.pty.write(`/view ${view}\r`);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const chunks: number[] = [];
  seen.pty.onData(() => chunks.push(performance.now()));
  const beforeMs = cpuMs(pid);
  await server.say("go");
  await seen.sees((rows) => rows.some((row) => row.includes("working")), "the members at work");
  const echoes: number[] = [];
  const until = performance.now() + STREAM_MS - 1_000;
  for (let typed = "x"; performance.now() < until; typed += "x") {
    const at = performance.now();
    const echo = seen.sees((rows) => rows.some((row) => isInput(row) && row.includes(typed)), "the echo");
    seen.pty.write("x");
    echoes.push((await echo) - at);
    await new Promise((resolve) => setTimeout(resolve, KEY_EVERY_MS));
  }
  await seen.sees((rows) => !rows.some((row) => row.includes("working")), "the end");
  const cpuUs = ((cpuMs(pid) - beforeMs) * 1_000) / ((3 * TOKENS_PER_SECOND * STREAM_MS) / 1_000);
  const updates = updatesOf(chunks);
  const gaps = updates.slice(1).map((at, index) => at - (updates[index] ?? at));
  gaps.sort(ascending);
  echoes.sort(ascending);
  report({
    cpuUs,
    echoP50Ms: percentile(echoes, 0.5),
    echoP95Ms: percentile(echoes, 0.95),
    rssMb: rssMb(pid),
    updatesPerSecond: (updates.length * 1_000) / STREAM_MS,
    gapP95Ms: percentile(gaps, 0.95),
  });
  seen.pty.kill("SIGKILL");
}

async function paint(command: string, args: readonly string[]): Promise<void> {
  const seen = openOnScreen(command, args, { cwd: scratch });
  const at = await seen.sees((rows) => rows.some((row) => row.trim() !== ""), "the first words");
  report({ ms: at - seen.startedAt });
  seen.pty.kill("SIGKILL");
}

async function idle(): Promise<void> {
  const server = await startServing({ dataDir, home: scratch, cwd: scratch });
  const seen = start("--new");
  await seen.sees((rows) => rows.some(isInput), "the input");
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  report({ appMb: rssMb(seen.pty.pid), togetherMb: jointRssMb([seen.pty.pid, server.pid]) });
  seen.pty.kill("SIGKILL");
  await server.stop();
}

if (mode !== "prepare" && prepared !== "") cpSync(prepared, dataDir, { recursive: true });
if (mode === "prepare") {
  const drafts = longSessionDrafts({ messages: Number(rest[0]), deltasPerTurn: DELTAS_PER_TURN });
  report(await saveSession(dataDir, drafts));
} else if (mode === "stream") {
  await stream();
} else if (mode === "open") {
  const { seen, openedMs } = await attach();
  report({ ms: openedMs, rssMb: rssMb(seen.pty.pid) });
  seen.pty.kill("SIGKILL");
} else if (mode === "idle") {
  await idle();
} else if (mode === "paint") {
  const [command = process.execPath, ...args] = rest.length > 0 ? rest : [process.execPath, program, "chat", "--new"];
  await paint(command, args);
} else {
  throw new Error(`unknown mode ${mode}`);
}
rmSync(scratch, { recursive: true, force: true });
process.exit(0);
