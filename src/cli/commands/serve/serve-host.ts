/**
 * A host behind a server, from the claim on the data directory to an orderly end: until a signal, or, in the background,
 * until nobody has needed it for a while. Whoever follows is told; a member that does not stop in time is cut.
 */
import type { Host } from "../../../host/index.ts";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import { RoundtableError } from "../../../protocol/index.ts";
import {
  claimServer,
  findCrashedServer,
  startCompatPort,
  startServer,
  type CompatPort,
  type PageFile,
  type RunningServer,
  type SessionDefaults,
} from "../../../server/index.ts";
import type { CompatPlan } from "./compat-plan.ts";
import { listenForStops } from "../../terminal/stop-signals.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { Failure, noteLine } from "../../../kit/failure.ts";
import { findSession } from "../../sessions/find-session.ts";
import { afterActiveTime } from "./active-time-limit.ts";
import { releaseMemoryWhenQuiet } from "./release-memory.ts";
import { note } from "../../terminal/stdout.ts";
import { whenIdle } from "./when-idle.ts";

/** A stop takes no longer than this on a machine that lets it, whatever a member does; the next start settles what was cut. */
const STOP_MS = 1_650;
/** From a fault to the end, whatever state it has left. */
const CRASH_EXIT_MS = 5_000;

export interface ServePlan {
  readonly host: Host;
  readonly dataDir: string;
  readonly version: string;
  readonly defaults: SessionDefaults;
  readonly pageFiles: readonly PageFile[];
  /** 0 takes any free one. */
  readonly port: number;
  /** Absent: runs until it is told to stop. */
  readonly idleMs: number | undefined;
  /** A second port without a token, for clients of other systems. */
  readonly compat?: CompatPlan;
  readonly onCompat?: (port: CompatPort) => void;
  /** The server takes requests, and is found. */
  readonly onReady: (server: RunningServer) => void;
}

/**
 * Resolves with the exit code; rejects with a Failure when another server is faster. Closes the host in any case.
 */
export async function serveHost(stops: Stops, plan: ServePlan): Promise<ExitCode> {
  const { host, dataDir, version, defaults, pageFiles, port, idleMs, onReady } = plan;
  let server: RunningServer | undefined;
  let compatPort: CompatPort | undefined;
  let stopWatching = () => {};
  const stopReleasing = releaseMemoryWhenQuiet();
  try {
    const sessions = await namedSessions(host, plan.compat);
    server = await startAsBefore(port, await findCrashedServer(dataDir), (options) =>
      startServer({ host, pageFiles, defaults, version, dataDir, ...options }),
    );
    const { url, token, counts } = server;
    const claim = await claimServer(dataDir, { url, pid: process.pid, version, socket: host.socketPath }, token);
    if ("holder" in claim) throw alreadyRuns(dataDir, claim.holder);
    stops.beforeAll(claim.release);
    if (plan.compat !== undefined) {
      const { whyNotUsers: peerDoubt } = await import("../../../agents/index.ts");
      compatPort = await startCompatPort({
        host,
        dataDir,
        defaults,
        version,
        ...plan.compat,
        sessions,
        checkPeer: peerDoubt,
      });
      plan.onCompat?.(compatPort);
    }
    onReady(server);
    void host.resumeMirrors();
    if (idleMs !== undefined) {
      const isNeeded = () => host.isNeeded();
      stopWatching = whenIdle({ isNeeded, requests: () => counts.handled, idleMs, onIdle: () => stops.stop() });
    }
    await stops.stopped;
    claim.release();
  } catch (error) {
    await compatPort?.cut();
    await server?.cut();
    await host.close();
    throw error;
  } finally {
    stopWatching();
    stopReleasing();
  }
  await shutDown(compatPort === undefined ? [server] : [server, compatPort], host, stops);
  return stops.exitCode();
}

async function namedSessions(host: Host, compat: CompatPlan | undefined): Promise<string[]> {
  const list = () => host.listSessions();
  return await Promise.all((compat?.sessions ?? []).map((given) => findSession({ list }, given)));
}

type ListenOptions = { port: number; token?: string };

/** After a kill, at the place where pages look for it; at any other when somebody sits there now. */
async function startAsBefore(
  port: number,
  left: ListenOptions | undefined,
  start: (options: ListenOptions) => Promise<RunningServer>,
): Promise<RunningServer> {
  if (left === undefined) return await start({ port: port });
  try {
    return await start({ ...left, ...(port === 0 ? {} : { port: port }) });
  } catch (error) {
    if (port !== 0 || !(error instanceof RoundtableError && error.code === "busy")) throw error;
    return await start({ ...left, port: 0 });
  }
}

export interface Stops {
  readonly stopped: Promise<void>;
  stop(): void;
  /** What is done first of all, so that nobody is sent to a server that is about to leave. */
  beforeAll(action: () => void): void;
  exitCode(): ExitCode;
}

/**
 * Listens from the call on, so that a signal that comes during the start is not lost. A fault that nobody has caught is a
 * stop like any other, so that no turn is cut without need; a second one is the end.
 */
export function listenForStop(): Stops {
  const { promise, resolve } = Promise.withResolvers<void>();
  let first = () => {};
  let exitCode: ExitCode = exitCodes.ok;
  const stop = () => {
    first();
    // A second signal that is here already is heard before the work of the first begins.
    setImmediate(resolve);
  };
  const onUncaught = (error: unknown) => {
    note(`${noteLine("a fault of this server ends it; its sessions go on at the next start")}${traceOf(error)}\n`);
    if (exitCode === exitCodes.failure) process.exit(exitCode);
    exitCode = exitCodes.failure;
    // Whoever waits for what the fault has broken would wait for ever.
    afterActiveTime(CRASH_EXIT_MS, () => process.exit(exitCode));
    stop();
  };
  // A promise that nobody has looked at comes this way, too.
  process.on("uncaughtException", onUncaught);
  listenForStops(stop, () => process.exit(exitCodes.interrupted));
  return { stopped: promise, stop, beforeAll: (action) => (first = action), exitCode: () => exitCode };
}

function traceOf(error: unknown): string {
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return trace.split("\n").map(terminalSafeLine).join("\n");
}

/** Tells every client, settles what can be settled in time, and leaves. */
async function shutDown(
  ports: readonly Pick<RunningServer, "stop" | "cut">[],
  host: Host,
  stops: Stops,
): Promise<void> {
  const done = afterActiveTime(STOP_MS, () => {
    note(noteLine("some members did not stop in time; what they left running is ended at the next start"));
    process.exit(stops.exitCode());
  });
  for (const port of ports) port.stop();
  await host.close();
  await Promise.all(ports.map((port) => port.cut()));
  done();
}

export function alreadyRuns(dataDir: string, holder: { url: string; pid: number; version: string }): Failure {
  const message = `a server (version ${holder.version}, process ${holder.pid}) already runs on ${dataDir} at ${holder.url}`;
  return new Failure(exitCodes.failure, "busy", message, {
    hint: "roundtable web prints a link to it; roundtable chat joins it",
  });
}
