/**
 * A seat for a screen: at the running server of the data directory, which is started when none runs; in this process,
 * without a port, when that is not wanted or does not work. A seat at a server outlives it: when the server is gone,
 * the next one is found or started.
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
  // The first try goes to the place that is written down; whoever does not answer there is looked for, or started.
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
    if (server === undefined) throw new Error("no server runs");
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
    connection?.close("the server is of another version");
    throw error;
  }
}

/** Undefined when nobody listens there any more. */
async function reachSocket({ socket }: ServerRecord): Promise<ClientConnection | undefined> {
  if (socket === undefined) return undefined;
  try {
    return await connectSocket(socket, { environment: carriedEnvironment(process.env) });
  } catch {
    // A server that was killed leaves its record behind; the ordinary search finds out what became of it.
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
    ...(why === undefined ? {} : { warning: `${why}; the session is hosted here and ends with this screen` }),
    close: () => host.close(),
  };
}

/** At a server that was named by its address: nothing is started when it goes. */
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
