/**
 * Connection of a screen to the server of the data directory, which is started if needed; falls back to a host in this
 * process, without a port. A server connection survives the server: it reconnects to the next one, or starts it.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectSocket, connectWebSocket, createLastingClient, newClientId } from "../../client/index.ts";
import { carriedEnvironment } from "../../kit/carried-environment.ts";
import type { ClientConnection } from "../../protocol/index.ts";
import { findServer, readServerRecord, type ServerRecord } from "../../server/index.ts";
import type { ScreenConnection } from "../../tui/index.ts";
import { openInProcessHost } from "./in-process-host.ts";
import { exitCodes } from "../../kit/exit-codes.ts";
import { Failure } from "../../kit/failure.ts";
import { readVersion } from "../version.ts";

export interface OpenHostConnection extends ScreenConnection {
  /** Why there is no server, when one was wanted. */
  readonly whyNoServer?: string;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly dataDir: string;
  readonly cwd: string;
  /** How long a server that must be started may take. */
  readonly startMs?: number;
}

export async function connectToHost(options: ConnectOptions): Promise<OpenHostConnection> {
  const { dataDir } = options;
  const clientId = acquireScreenId(dataDir);
  let record = readServerRecord(dataDir);
  // Try the recorded socket first; if nothing answers there, find or start a server.
  let first = record === undefined ? undefined : await reachSocket(record);
  if (first === undefined) {
    const server = await findOrStartServer(options);
    if (server === undefined || "why" in server) return await hostInProcess(dataDir, clientId, server?.why);
    record = server;
  }
  if (record !== undefined) checkVersion(record, first);
  const client = await createLastingClient(
    async () => {
      const connection = first ?? (await reconnect());
      first = undefined;
      return connection;
    },
    { clientId },
  );

  async function reconnect(): Promise<ClientConnection> {
    const server = await findOrStartServer(options);
    if (server === undefined) throw new Error("no server is running");
    if ("why" in server) throw new Error(server.why);
    requireSameVersion(server);
    record = server;
    return (await reachSocket(server)) ?? (await connectWebSocket(server.url, server.token));
  }

  return {
    client,
    label: `attached to ${record?.url}`,
    outlivesScreen: true,
    close: async () => client.close(),
  };
}

function checkVersion(record: ServerRecord, connection: ClientConnection | undefined): void {
  try {
    requireSameVersion(record);
  } catch (error) {
    connection?.close("version mismatch");
    throw error;
  }
}

/** Undefined when nothing listens on the socket. */
async function reachSocket({ socket }: ServerRecord): Promise<ClientConnection | undefined> {
  if (socket === undefined) return undefined;
  try {
    return await connectSocket(socket, { environment: carriedEnvironment(process.env) });
  } catch {
    // A killed server leaves its record behind; findOrStartServer handles it.
    return undefined;
  }
}

async function findOrStartServer(options: ConnectOptions) {
  const { BACKGROUND_VARIABLE, reachServer } = await import("./background-server.ts");
  if (process.env[BACKGROUND_VARIABLE] !== "0") return await reachServer(options);
  return await findServer(options.dataDir);
}

async function hostInProcess(dataDir: string, clientId: string, why: string | undefined): Promise<OpenHostConnection> {
  const host = await openInProcessHost(dataDir, [], { clientId });
  return {
    client: host.client,
    label: "hosted here",
    outlivesScreen: false,
    ...(why === undefined
      ? {}
      : { whyNoServer: why, warning: `${why}; the session runs in this process and ends when you quit` }),
    close: () => host.close(),
  };
}

/** Connection to a server by address: no server is started when it goes away. */
export async function connectToServer(server: {
  url: string;
  token: string;
  dataDir: string;
}): Promise<OpenHostConnection> {
  const clientId = acquireScreenId(server.dataDir);
  const client = await createLastingClient(() => connectWebSocket(server.url, server.token), { clientId });
  try {
    requireSameVersion({ url: server.url, version: client.host.version });
  } catch (error) {
    client.close();
    throw error;
  }
  return {
    client,
    label: `attached to ${server.url}`,
    outlivesScreen: true,
    close: async () => client.close(),
  };
}

/** Versions may misread each other's data, so a screen only connects to a server of its own version. */
function requireSameVersion(server: { url: string; version: string; pid?: number }): void {
  const mine = readVersion();
  if (server.version === mine) return;
  const order = compareVersions(server.version, mine);
  const relation = order < 0 ? "older than" : order > 0 ? "newer than" : "not the same as";
  const stop = server.pid === undefined ? "Stop the server" : `Stop it (kill ${server.pid})`;
  throw new Failure(
    exitCodes.failure,
    "version_mismatch",
    `the server at ${server.url} runs version ${server.version}, ${relation} this program (${mine}).`,
    { hint: order > 0 ? "Update this program" : `${stop} and start roundtable again` },
  );
}

/** Compares the leading numbers only. */
function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => (/^[\d.]*/.exec(text)?.[0] ?? "").split(".").map(Number));
  for (let at = 0; at < 3; at++) {
    const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** More than anyone has open; older unused ids are deleted. */
const KNOWN_MAX = 32;
const NAME = /^(terminal-[0-9A-Z]{26})\.(\d+)$/;

interface Known {
  readonly clientId: string;
  readonly path: string;
  readonly pid: number;
  readonly usedMs: number;
}

/** Never throws: if it cannot be stored, the id lasts until the screen closes. */
export function acquireScreenId(dataDir: string): string {
  const directory = join(dataDir, "screens");
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const free = knownIn(directory).filter(({ pid }) => !isAlive(pid));
    for (const { path } of free.slice(KNOWN_MAX)) rmSync(path, { force: true });
    for (const { clientId, path } of free) {
      const mine = join(directory, `${clientId}.${process.pid}`);
      if (tryRename(path, mine)) return touched(mine, clientId);
    }
    const clientId = newClientId("terminal");
    writeFileSync(join(directory, `${clientId}.${process.pid}`), "", { mode: 0o600 });
    return clientId;
  } catch {
    return newClientId("terminal");
  }
}

/** Most recently used first. */
function knownIn(directory: string): Known[] {
  return readdirSync(directory)
    .flatMap((name) => {
      const [, clientId, pid] = NAME.exec(name) ?? [];
      const path = join(directory, name);
      const usedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
      return clientId === undefined || usedMs === undefined ? [] : [{ clientId, path, pid: Number(pid), usedMs }];
    })
    .sort((a, b) => b.usedMs - a.usedMs);
}

function tryRename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    // Another screen acquired it first.
    return false;
  }
}

function touched(path: string, clientId: string): string {
  utimesSync(path, new Date(), new Date());
  return clientId;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
