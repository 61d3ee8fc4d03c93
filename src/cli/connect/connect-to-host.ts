/**
 * Connection of a screen to the server of the data directory, which is started if needed; falls back to a host in this
 * process, without a port. A server connection survives the server: it reconnects to the next one, or starts it.
 */
import { connectSocket, connectWebSocket, createLastingClient } from "../../client/index.ts";
import { carriedEnvironment } from "../../kit/carried-environment.ts";
import type { ClientConnection } from "../../protocol/index.ts";
import { findServer, readServerRecord, type ServerRecord } from "../../server/index.ts";
import type { ScreenConnection } from "../../tui/index.ts";
import { requireSameVersion } from "./server-version.ts";
import { openInProcessHost } from "./in-process-host.ts";
import { acquireScreenId } from "./screen-id.ts";

export interface OpenHostConnection extends ScreenConnection {
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly dataDir: string;
  readonly cwd: string;
}

export async function connectToHost({ dataDir, cwd }: ConnectOptions): Promise<OpenHostConnection> {
  const clientId = acquireScreenId(dataDir);
  let record = readServerRecord(dataDir);
  // Try the recorded socket first; if nothing answers there, find or start a server.
  let first = record === undefined ? undefined : await reachSocket(record);
  if (first === undefined) {
    const server = await findOrStartServer({ dataDir, cwd });
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
    const server = await findOrStartServer({ dataDir, cwd });
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
  const host = await openInProcessHost(dataDir, [], clientId);
  return {
    client: host.client,
    label: "hosted here",
    outlivesScreen: false,
    ...(why === undefined ? {} : { warning: `${why}; the session runs in this process and ends when you quit` }),
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
