/**
 * The server: one for a data directory, on 127.0.0.1 only. In the foreground it runs until it is told to stop; in the
 * background it prints no link and also ends by itself when nobody has needed it for a while.
 */
import { readFileSync } from "node:fs";
import { readTranscript, type Host } from "../../host/index.ts";
import { sessionPaths } from "../../log/index.ts";
import type { SessionSummary } from "../../protocol/index.ts";
import { BIND_ADDRESS, claimServer, findServer, startServer, type RunningServer } from "../../server/index.ts";
import type { CommonFlags } from "../args.ts";
import { listenForStops } from "../ask/stop-signals.ts";
import { dataDirectory } from "../config/paths.ts";
import { prepareDataDirectory } from "../data-dir.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { Failure, noteLine, usageFailure } from "../failure.ts";
import { boundLog } from "../launch.ts";
import { createLocalHost } from "../local-host.ts";
import { readPageFiles } from "../page-files.ts";
import { sessionDefaults } from "../session-defaults.ts";
import { note, stdout } from "../stdout.ts";
import { readVersion } from "../version.ts";

export interface ServeFlags extends CommonFlags {
  port?: number;
  host?: string;
  /** Prints no link, and ends by itself. */
  background?: boolean;
  /** Seconds without need after which a server in the background ends. */
  idle?: number;
}

const IDLE_SECONDS = 300;
const IDLE_VARIABLE = "ROUNDTABLE_IDLE";
/** How often is looked whether anybody needs the server, at the least. */
const LOOK_MS_MAX = 10_000;

/** A stop takes no longer than this, whatever a member does; the next start settles what was cut. */
const STOP_MS = 1_700;

export async function serve(flags: ServeFlags): Promise<ExitCode> {
  if (flags.host !== undefined && flags.host !== BIND_ADDRESS) {
    throw usageFailure(
      `--host ${flags.host} is refused: whoever reaches the port can run your agents, so only ${BIND_ADDRESS} is served`,
      "From another machine, forward the port with ssh -L",
    );
  }
  const isBackground = flags.background === true;
  if (isBackground) {
    boundLog(process.stdout);
    boundLog(process.stderr);
  }
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  const [defaults, pageFiles] = await Promise.all([sessionDefaults(flags), readPageFiles()]);
  prepareDataDirectory(dataDir);
  const running = await findServer(dataDir);
  if (running !== undefined) throw alreadyRuns(dataDir, running);
  const version = readVersion();
  let release = () => {};
  const { stopped, stop } = untilStopped(() => release());
  const host = await createLocalHost(dataDir);
  const clients = new Set<object>();
  let server: RunningServer | undefined;
  let stopWatching = () => {};
  try {
    server = await startServer({
      host: withClients(host, clients),
      pageFiles,
      defaults,
      version,
      port: flags.port ?? 0,
    });
    const { url, counts } = server;
    const claim = await claimServer(dataDir, { url, pid: process.pid, version }, server.token);
    if ("holder" in claim) throw alreadyRuns(dataDir, claim.holder);
    ({ release } = claim);
    if (isBackground) {
      note(logLine(`version ${version} serves ${dataDir} at ${url}, process ${process.pid}`));
      const isNeeded = async () => clients.size > 0 || (await hasWork(host, dataDir));
      stopWatching = whenIdle({ isNeeded, requests: () => counts.handled, idleMs: idleMs(flags), onIdle: stop });
    } else {
      stdout.write(welcome(server, dataDir, version));
    }
    await stopped;
    release();
  } catch (error) {
    await server?.cut();
    await host.close();
    throw error;
  } finally {
    stopWatching();
  }
  await shutDown(server, host);
  if (isBackground) note(logLine(`process ${process.pid} has ended`));
  return exitCodes.ok;
}

function idleMs(flags: ServeFlags): number {
  const given = Number(process.env[IDLE_VARIABLE]);
  return (flags.idle ?? (given > 0 ? given : IDLE_SECONDS)) * 1_000;
}

function logLine(text: string): string {
  return `${new Date().toISOString()} ${noteLine(text)}`;
}

/** The same host, with every connection that is open through it kept in `clients`. */
function withClients(host: Host, clients: Set<object>): Host {
  return {
    ...host,
    serve(connection) {
      const listen = connection.onClose.bind(connection);
      let listener = (_reason: string) => {};
      clients.add(connection);
      listen((reason) => {
        clients.delete(connection);
        listener(reason);
      });
      connection.onClose = (theirs) => {
        listener = theirs;
        if (!clients.has(connection)) listen(theirs);
      };
      host.serve(connection);
    },
  };
}

/** A turn that runs here, or a message that waits here for its turn. */
async function hasWork(host: Host, dataDir: string): Promise<boolean> {
  const held = (await host.listSessions()).filter(({ sessionId }) => isHeldBy(host, dataDir, sessionId));
  const hasQueue = async ({ sessionId }: SessionSummary) =>
    (await readTranscript(dataDir, sessionId)).head.queue.length > 0;
  return held.some((one) => one.status === "running") || (await Promise.all(held.map(hasQueue))).includes(true);
}

function isHeldBy(host: Host, dataDir: string, sessionId: string): boolean {
  try {
    return readFileSync(sessionPaths(dataDir, sessionId).lockHolder, "utf8").includes(host.hostId);
  } catch {
    // Nobody holds it.
    return false;
  }
}

interface IdleWatch {
  isNeeded: () => Promise<boolean>;
  /** Requests answered so far: one that comes is a need, too. */
  requests: () => number;
  idleMs: number;
  onIdle: () => void;
}

/** Calls back once, when nothing was needed at any look for the whole time. */
function whenIdle({ isNeeded, requests, idleMs, onIdle }: IdleWatch): () => void {
  let neededAtMs = performance.now();
  let seen = requests();
  let isStopped = false;
  let timer = setTimeout(() => void look(), stepMs());
  function stepMs(): number {
    return Math.min(idleMs / 4, LOOK_MS_MAX);
  }
  async function look(): Promise<void> {
    // A data directory that cannot be read now is no reason to leave.
    const needed = await isNeeded().catch(() => true);
    const hasAsked = requests() !== seen;
    seen = requests();
    if (needed || hasAsked) neededAtMs = performance.now();
    if (isStopped) return;
    if (performance.now() - neededAtMs >= idleMs) return onIdle();
    timer = setTimeout(() => void look(), stepMs());
  }
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** Prints a new link to the page of the running server: each one opens it once. */
export async function printLink(flags: CommonFlags): Promise<ExitCode> {
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  const running = await findServer(dataDir);
  if (running === undefined) {
    throw new Failure(exitCodes.failure, "closed", `no server runs on the data directory ${dataDir}`, {
      hint: "Start one with roundtable serve",
    });
  }
  const answer = await fetch(`${running.url}/v1/codes`, {
    method: "POST",
    headers: { authorization: `Bearer ${running.token}`, "content-type": "application/json" },
    body: "{}",
  });
  if (!answer.ok) {
    throw new Failure(exitCodes.failure, "refused", `the server at ${running.url} gave no link (${answer.status})`);
  }
  const { code } = (await answer.json()) as { code: string };
  stdout.write(`${running.url}/#code=${code}\n`);
  return exitCodes.ok;
}

function welcome(server: RunningServer, dataDir: string, version: string): string {
  return [
    `Roundtable ${version} serves ${dataDir}`,
    "",
    `  ${server.newLink()}`,
    "",
    "The link opens the page once, within a minute; roundtable web prints another. Ctrl+C stops the server.",
    "",
  ].join("\n");
}

/** Listens from the call on, so that a signal that comes during the start is not lost. */
function untilStopped(onStop: () => void): { stopped: Promise<void>; stop: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = () => {
    // First of all, so that nobody is sent to a server that is about to leave.
    onStop();
    // A second signal that is here already is heard before the work of the first begins.
    setImmediate(resolve);
  };
  listenForStops(stop, () => process.exit(exitCodes.interrupted));
  return { stopped: promise, stop };
}

/** Tells every client, settles what can be settled in time, and leaves. */
async function shutDown(server: RunningServer, host: Host): Promise<void> {
  const late = setTimeout(() => {
    note(noteLine("members that did not stop in time were cut; their turns are settled at the next start"));
    process.exit(exitCodes.ok);
  }, STOP_MS);
  server.stop();
  await host.close();
  await server.cut();
  clearTimeout(late);
}

function alreadyRuns(dataDir: string, holder: { url: string; pid: number; version: string }): Failure {
  const message = `a server (version ${holder.version}, process ${holder.pid}) already runs on ${dataDir} at ${holder.url}`;
  return new Failure(exitCodes.failure, "busy", message, {
    hint: "roundtable web prints a link to it; roundtable chat joins it",
  });
}
