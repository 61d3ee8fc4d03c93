/**
 * Finds the background server of a data directory, or starts it. Of several programs that start at once, one starts the
 * server and the others wait for it. The server outlives the terminal it was started from.
 */
import { spawn, type ChildProcess } from "node:child_process";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { linkIfFree, readIfThere } from "../../kit/files/atomic-file.ts";
import { noSpaceReason } from "../../kit/files/system-error.ts";
import { newId } from "../../kit/ids.ts";
import { findServer, type ReachableServer } from "../../server/index.ts";

/** "0": never start a server; without a running one, host the session in this process. */
export const BACKGROUND_VARIABLE = "ROUNDTABLE_BACKGROUND";

/**
 * Small, fixed young generation: events are short-lived, and a larger one grows the heap by 30 MB before it is
 * collected. Left to itself it shrinks while one member streams and is collected twice as often. At this size a single
 * scavenger thread is cheaper than waking helpers.
 */
export const SERVER_FLAGS = ["--min-semi-space-size=2", "--max-semi-space-size=4", "--no-parallel-scavenge"];

/** Start timeout, generous for a busy machine. */
const START_MS = 30_000;
/** A server that was not ready in time gets this long to exit before it is killed. */
const EXIT_MS = 5_000;
const POLL_MS = 50;
/** A start lock older than this belongs to a program that died or hangs. */
const STARTING_MS_MAX = 4 * START_MS;
const LOG_BYTES_MAX = 1024 * 1024;

export interface LaunchOptions {
  readonly dataDir: string;
  /** Working directory of the server: decides its default settings. */
  readonly cwd: string;
  readonly startMs?: number;
}

/**
 * The running server, or one started by this call, or the reason why there is none; in that case no process started by
 * this call is left running.
 */
export async function reachServer(options: LaunchOptions): Promise<ReachableServer | { readonly why: string }> {
  const { dataDir, startMs = START_MS } = options;
  const deadline = performance.now() + startMs;
  let start: Start | undefined;
  try {
    for (;;) {
      const server = await findServer(dataDir);
      if (server !== undefined) return server;
      if (start?.failed !== undefined) return { why: `the background server did not start: ${start.failed}` };
      if (performance.now() > deadline) {
        if (start?.child !== undefined) await stopProcess(start.child);
        return { why: `the background server was not ready within ${startMs / 1_000} s, see ${logPath(dataDir)}` };
      }
      // Look once more after acquiring the lock: its last holder may just have started a server.
      if (start === undefined) start = acquireStartLock(dataDir);
      else if (!start.isStarted) startServerProcess(start, options);
      if (start === undefined || start.isStarted) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  } finally {
    start?.release();
  }
}

interface Start {
  isStarted: boolean;
  failed: string | undefined;
  child?: ChildProcess;
  readonly release: () => void;
}

/** A server that was not ready in time must not stay behind. */
async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.ref();
  child.kill("SIGTERM");
  const kill = setTimeout(() => child.kill("SIGKILL"), EXIT_MS);
  await exited;
  clearTimeout(kill);
}

/** Detached in its own process session: neither closing the terminal nor Ctrl+C in it reaches the server. */
function startServerProcess(start: Start, { dataDir, cwd }: LaunchOptions): void {
  start.isStarted = true;
  const program = process.argv[1];
  if (program === undefined) {
    start.failed = "the path of this program is unknown";
    return;
  }
  let log: number | undefined;
  try {
    log = openLog(dataDir);
    const begun = fstatSync(log).size;
    const child = spawn(
      process.execPath,
      [...SERVER_FLAGS, program, "serve", "--background", "-C", cwd, "--data-dir", dataDir],
      {
        cwd,
        detached: true,
        stdio: ["ignore", log, log],
      },
    );
    child.on("error", (error) => (start.failed = error.message));
    // It may have exited because another server was faster; that one is found before this is checked.
    child.on("exit", (code, signal) => {
      const exited = `it exited with ${code ?? signal}, see ${logPath(dataDir)}`;
      start.failed = errorIn(logPath(dataDir), begun) ?? exited;
    });
    child.unref();
    if (child.pid !== undefined) start.child = child;
  } catch (error) {
    start.failed = reasonOf(error);
  } finally {
    if (log !== undefined) closeSync(log);
  }
}

function reasonOf(error: unknown): string {
  return noSpaceReason(error) ?? (error instanceof Error ? error.message : String(error));
}

/** Undefined while another program is starting the server. */
function acquireStartLock(dataDir: string): Start | undefined {
  const file = path.join(dataDir, "server.starting");
  const mine = path.join(dataDir, `server.starting.${newId()}`);
  const text = `${process.pid} ${newId()}\n`;
  try {
    writeFileSync(mine, text, { mode: 0o600, flag: "wx" });
    if (!linkIfFree(mine, file)) {
      removeStaleLock(file);
      return undefined;
    }
  } catch (error) {
    return { isStarted: true, failed: reasonOf(error), release: () => {} };
  } finally {
    rmSync(mine, { force: true });
  }
  const release = () => {
    if (readIfThere(file) === text) rmSync(file, { force: true });
  };
  return { isStarted: false, failed: undefined, release };
}

/** Renamed before it is removed: if another program replaced the lock meanwhile, its lock is put back. */
function removeStaleLock(file: string): void {
  const held = readIfThere(file);
  if (held === undefined || !isDead(file, held)) return;
  const aside = `${file}.${newId()}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if (readIfThere(aside) !== held) linkIfFree(aside, file);
  rmSync(aside, { force: true });
}

function isDead(file: string, held: string): boolean {
  try {
    if (Date.now() - statSync(file).mtimeMs > STARTING_MS_MAX) return true;
    process.kill(Number.parseInt(held, 10), 0);
    return false;
  } catch {
    // No such process, or an incomplete file.
    return true;
  }
}

function logPath(dataDir: string): string {
  return path.join(dataDir, "server.log");
}

function openLog(dataDir: string): number {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  const log = openSync(logPath(dataDir), O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  fchmodSync(log, 0o600);
  if (fstatSync(log).size > LOG_BYTES_MAX) ftruncateSync(log, 0);
  return log;
}

const DROPPED = "Earlier lines were dropped: the log was full.\n";

/** The error with which a server exited: its last line in the log, after the bytes of earlier servers. */
function errorIn(log: string, begun: number): string | undefined {
  try {
    const line = readFileSync(log).subarray(begun).toString().trimEnd().split("\n").at(-1) ?? "";
    return /^roundtable: (.+?)\.?$/.exec(line)?.[1];
  } catch {
    // The log is gone.
    return undefined;
  }
}

/** Caps the log of a background server: it is truncated when full. */
export function boundLog(stream: NodeJS.WriteStream & { readonly fd: number }): void {
  const write = stream.write.bind(stream) as (text: string, ...rest: unknown[]) => boolean;
  const bounded = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const whole = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    const text = whole.length > LOG_BYTES_MAX / 8 ? `${whole.slice(0, LOG_BYTES_MAX / 8)}…\n` : whole;
    try {
      const isFull = fstatSync(stream.fd).size + Buffer.byteLength(text) > LOG_BYTES_MAX;
      if (isFull) ftruncateSync(stream.fd, 0);
      return write(isFull ? DROPPED + text : text, ...rest);
    } catch {
      // The log file is gone; losing log lines must not stop the server.
      return true;
    }
  };
  stream.write = bounded;
}

/**
 * True when a browser was started. The link contains a one-time code, and command-line arguments are visible to every
 * user of the machine, so the browser gets a private file that redirects to it.
 */
export async function openInBrowser(link: string, { dataDir, env }: BrowserOptions): Promise<boolean> {
  const command = browserCommand(env);
  if (command === undefined) return false;
  const file = path.join(dataDir, "open-page.html");
  rmSync(file, { force: true });
  writeFileSync(file, leadingTo(link), { mode: 0o600, flag: "wx" });
  const [name, ...args] = command;
  const { findProgram } = await import("../../agents/index.ts");
  const resolved = findProgram(name, { PATH: env["PATH"], PATHEXT: env["PATHEXT"], cwd: process.cwd() });
  if (!resolved.ok) return false;
  const child = spawn(resolved.path, [...args, file], { detached: true, stdio: "ignore" });
  return await new Promise((resolve) => {
    child.on("error", () => resolve(false));
    child.on("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}

export interface BrowserOptions {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Undefined without a graphical display. */
function browserCommand(env: BrowserOptions["env"]): [program: string, ...args: string[]] | undefined {
  if (env["BROWSER"]) return [env["BROWSER"]];
  if (process.platform === "darwin") return ["open"];
  if (process.platform === "win32") return ["explorer.exe"];
  return env["DISPLAY"] || env["WAYLAND_DISPLAY"] ? ["xdg-open"] : undefined;
}

function leadingTo(link: string): string {
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${link}"><title>Roundtable</title>\n`;
}
