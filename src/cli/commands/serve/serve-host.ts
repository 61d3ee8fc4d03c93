/**
 * Lifecycle of a host behind a server, from claiming the data directory to an orderly shutdown: on a signal or, in the
 * background, when idle. Clients are notified; a member that does not stop in time is killed.
 */
import { Session } from "node:inspector/promises";
import type { Host } from "../../../host/index.ts";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import {
  claimServer,
  createReadOnlyHost,
  findCrashedServer,
  movedNote,
  startCompatPort,
  startOnStoredPort,
  startServer,
  type CompatPort,
  type PageFile,
  type RunningServer,
  type ServedPeople,
  type ServerAddress,
  type SessionDefaults,
} from "../../../server/index.ts";
import type { CompatPlan } from "./compat.ts";
import { createShareRoute } from "./share-route.ts";
import { listenForStops } from "../../terminal/stop-signals.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { Failure, noteLine } from "../../../kit/failure.ts";
import { loadWires, mirror } from "../../edges.ts";
import { findSession } from "../../sessions/find-session.ts";
import { note } from "../../terminal/stdout.ts";
import { systemClock, type Clock } from "../../../kit/clock.ts";

/** Shutdown limit in active time, whatever members do; the next start settles what was cut off. */
const STOP_MS = 1_650;
/** Shutdown limit after an uncaught error. */
const CRASH_EXIT_MS = 5_000;

export interface ServePlan {
  readonly host: Host;
  readonly dataDir: string;
  readonly version: string;
  readonly defaults: SessionDefaults;
  readonly pageFiles: readonly PageFile[];
  /** 0: the port of the data directory. */
  readonly port: number;
  /** For other devices of this user, beside the address on this machine. */
  readonly reach?: (ServerAddress & { readonly port: number }) | undefined;
  /** Absent: runs until stopped. */
  readonly idleMs: number | undefined;
  /** Second port without a token, for clients of other systems. */
  readonly compat?: CompatPlan;
  readonly onCompat?: (port: CompatPort) => void;
  /** Called when the server accepts requests and can be found. */
  readonly onReady: (server: RunningServer) => void;
}

/**
 * Resolves with the exit code; rejects with a Failure when another server claimed the directory. Always closes the
 * host.
 */
export async function serveHost(stops: Stops, plan: ServePlan): Promise<ExitCode> {
  const { host, dataDir, version, defaults, pageFiles, port, reach, idleMs, onReady } = plan;
  let server: RunningServer | undefined;
  let outward: RunningServer | undefined;
  let compatPort: CompatPort | undefined;
  let stopWatching = () => {};
  const stopReleasing = releaseMemoryWhenQuiet();
  try {
    const [sessions, wires] = await Promise.all([namedSessions(host, plan.compat), loadWires()]);
    // Programs with the token of a killed server can continue with this one.
    const crashed = await findCrashedServer(dataDir);
    const moreRoutes = [createShareRoute(host, dataDir)];
    const start = (at: number) =>
      startServer({
        host,
        moreRoutes,
        pageFiles,
        defaults,
        version,
        dataDir,
        wires,
        port: at,
        ...crashed,
        ...(reach && { outward: reach.origin }),
      });
    server = port === 0 ? await startOnStoredPort(dataDir, start) : await start(port);
    const moved = port === 0 ? movedNote(dataDir, server.url) : undefined;
    if (moved !== undefined) note(noteLine(moved));
    const { url, token, counts } = server;
    const claim = await claimServer(dataDir, { url, pid: process.pid, version, socket: host.socketPath }, token);
    if ("holder" in claim) throw alreadyRuns(dataDir, claim.holder);
    stops.beforeAll(claim.release);
    if (reach !== undefined) outward = await startOutward(plan, reach, server.signIn);
    compatPort = await startCompat(plan, sessions);
    onReady(server);
    if (mirror !== undefined) void host.resumeMirrors();
    if (idleMs !== undefined) {
      const isNeeded = () => host.isNeeded();
      stopWatching = whenIdle({ isNeeded, requests: () => counts.handled, idleMs, onIdle: () => stops.stop() });
    }
    await stops.stopped;
    claim.release();
  } catch (error) {
    await compatPort?.cut();
    await outward?.cut();
    await server?.cut();
    await host.close();
    throw error;
  } finally {
    stopWatching();
    stopReleasing();
  }
  await shutDown(
    [server, outward, compatPort].filter((one) => one !== undefined),
    host,
    stops,
  );
  return stops.exitCode();
}

/** Only signed-in devices are admitted: the token for programs is valid on this machine only. */
async function startOutward(
  { host, dataDir, defaults, pageFiles, version }: ServePlan,
  { port, ...reach }: ServerAddress & { readonly port: number },
  signIn: RunningServer["signIn"],
): Promise<RunningServer> {
  const reading = createReadOnlyHost(host);
  const hostFor: ServedPeople["hostFor"] = ({ scopes }) => (scopes.includes("use") ? host : reading);
  const people = { signIn, hostFor, routesFor: () => [createShareRoute(host, dataDir)] };
  return await startServer({ host, pageFiles, defaults, version, port, reach, people });
}

async function startCompat(plan: ServePlan, sessions: readonly string[]): Promise<CompatPort | undefined> {
  const { host, dataDir, defaults, version, compat } = plan;
  if (compat === undefined) return undefined;
  const { whyNotUsers: peerDoubt } = await import("../../../agents/index.ts");
  const wires = await loadWires(compat.wires);
  const own = { host, dataDir, defaults, version };
  const port = await startCompatPort({ ...own, ...compat, wires, sessions, checkPeer: peerDoubt });
  plan.onCompat?.(port);
  return port;
}

async function namedSessions(host: Host, compat: CompatPlan | undefined): Promise<string[]> {
  const list = () => host.listSessions();
  return await Promise.all((compat?.sessions ?? []).map((given) => findSession({ list }, given)));
}

export interface Stops {
  readonly stopped: Promise<void>;
  stop(): void;
  /** Runs first, so that no client is sent to a server that is about to exit. */
  beforeAll(action: () => void): void;
  exitCode(): ExitCode;
}

/**
 * Listens from the start, so that a signal during start-up is not lost. An uncaught error stops the server in order, so
 * that turns can settle; a second one exits at once.
 */
export function listenForStop(): Stops {
  const { promise, resolve } = Promise.withResolvers<void>();
  let first = () => {};
  let exitCode: ExitCode = exitCodes.ok;
  const stop = () => {
    first();
    // Lets a pending second signal be handled before shutdown begins.
    setImmediate(resolve);
  };
  const onUncaught = (error: unknown) => {
    note(
      `${noteLine("internal error; the server is stopping, and its sessions resume at the next start")}${traceOf(error)}\n`,
    );
    if (exitCode === exitCodes.failure) process.exit(exitCode);
    exitCode = exitCodes.failure;
    // Shutdown may wait forever for what the error has broken.
    afterActiveTime(CRASH_EXIT_MS, () => process.exit(exitCode));
    stop();
  };
  // Unhandled rejections arrive here too.
  process.on("uncaughtException", onUncaught);
  listenForStops(stop, () => process.exit(exitCodes.interrupted));
  return { stopped: promise, stop, beforeAll: (action) => (first = action), exitCode: () => exitCode };
}

function traceOf(error: unknown): string {
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return trace.split("\n").map(terminalSafeLine).join("\n");
}

/** Notifies every client, settles what it can in time, and exits. */
async function shutDown(
  ports: readonly Pick<RunningServer, "stop" | "cut">[],
  host: Host,
  stops: Stops,
): Promise<void> {
  const done = afterActiveTime(STOP_MS, () => {
    note(noteLine("some members did not stop in time; their processes are ended at the next start"));
    process.exit(stops.exitCode());
  });
  for (const port of ports) port.stop();
  await host.close();
  await Promise.all(ports.map((port) => port.cut()));
  done();
}

export function alreadyRuns(dataDir: string, holder: { url: string; pid: number; version: string }): Failure {
  const message = `a server (version ${holder.version}, process ${holder.pid}) is already running for ${dataDir} at ${holder.url}`;
  return new Failure(exitCodes.failure, "busy", message, {
    hint: "roundtable web prints a link to it; roundtable chat joins it",
  });
}

/**
 * Timeout that counts active time only, in short steps: a suspended machine adds at most one step. A wall-clock timeout
 * would fire on resume, before pending input is read.
 */
const TICK_MS = 50;

/** Calls back once, unless cancelled by the returned function. */
export function afterActiveTime(limitMs: number, act: () => void): () => void {
  let leftMs = limitMs;
  const timer = setInterval(() => {
    leftMs -= TICK_MS;
    if (leftMs > 0) return;
    clearInterval(timer);
    act();
  }, TICK_MS);
  return () => clearInterval(timer);
}

/**
 * Returns memory to the system when a server becomes idle. V8 collects garbage only while it allocates, so an idle
 * server would keep the garbage of its last work.
 */
const CHECK_MS = 30_000;
/** CPU time between two checks that counts as idle; heartbeats of open screens take less. */
const QUIET_CPU_MS = 300;
/** CPU time since the last collection below which another is not worth it. */
const WORK_CPU_MS = 1_000;

interface MemoryWatch {
  readonly clock?: Clock;
  /** CPU time of this process so far. */
  readonly cpuMs?: () => number;
  readonly release?: () => Promise<void>;
}

/** The returned function stops it. */
export function releaseMemoryWhenQuiet(watch: MemoryWatch = {}): () => void {
  const { clock = systemClock, cpuMs = ownCpuMs, release = releaseMemory } = watch;
  let seenMs = cpuMs();
  let releasedMs = 0;
  let cancel = clock.after(CHECK_MS, check);
  function check(): void {
    const nowMs = cpuMs();
    const isQuiet = nowMs - seenMs < QUIET_CPU_MS;
    seenMs = nowMs;
    if (isQuiet && nowMs - releasedMs >= WORK_CPU_MS) {
      releasedMs = nowMs;
      // Failure only costs memory.
      void release().catch(() => {});
    }
    cancel = clock.after(CHECK_MS, check);
  }
  return () => cancel();
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** A full collection, after which V8 returns free pages to the system. */
export async function releaseMemory(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post("HeapProfiler.collectGarbage");
  } finally {
    session.disconnect();
  }
}

/** Longest interval between two checks. */
const CHECK_MS_MAX = 10_000;

interface IdleWatch {
  isNeeded: () => boolean;
  /** Request count: a request between two checks counts as activity too. */
  requests: () => number;
  idleMs: number;
  onIdle: () => void;
  clock?: Clock;
}

/** Calls back once, when every check during the whole time found it idle. The returned function cancels it. */
export function whenIdle({ isNeeded, requests, idleMs, onIdle, clock = systemClock }: IdleWatch): () => void {
  const stepMs = Math.min(idleMs / 4, CHECK_MS_MAX);
  let neededAtMs = clock.monotonic();
  let seen = requests();
  let cancel = clock.after(stepMs, check);
  function check(): void {
    const now = requests();
    if (isNeeded() || now !== seen) neededAtMs = clock.monotonic();
    seen = now;
    if (clock.monotonic() - neededAtMs >= idleMs) return onIdle();
    cancel = clock.after(stepMs, check);
  }
  return () => cancel();
}
