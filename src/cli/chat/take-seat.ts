/**
 * A seat for a screen: at the running server of the data directory, which is started when none runs; in this process,
 * without a port, when that is not wanted or does not work. A seat at a server outlives it: when the server is gone,
 * the next one is found or started.
 */
import { connectWebSocket, createLastingClient } from "../../client/index.ts";
import type { Seat } from "../../tui/index.ts";
import { requireSameVersion } from "../server-version.ts";
import { openTable } from "../table.ts";

export interface TakenSeat extends Seat {
  close(): Promise<void>;
}

export interface SeatOptions {
  readonly dataDir: string;
  readonly cwd: string;
}

export async function takeSeat({ dataDir, cwd }: SeatOptions): Promise<TakenSeat> {
  const { BACKGROUND_VARIABLE, reachServer } = await import("../launch.ts");
  const { findServer } = await import("../../server/index.ts");
  const isStarting = process.env[BACKGROUND_VARIABLE] !== "0";
  const look = async () => (isStarting ? await reachServer({ dataDir, cwd }) : await findServer(dataDir));
  const first = await look();
  if (first === undefined || "why" in first) return await sitAlone(dataDir, first?.why);
  requireSameVersion(first);
  let url = first.url;
  const client = await createLastingClient(async () => {
    const server = await look();
    if (server === undefined) throw new Error("no server runs");
    if ("why" in server) throw new Error(server.why);
    requireSameVersion(server);
    url = server.url;
    return await connectWebSocket(server.url, server.token);
  });
  return {
    client,
    place: `attached to ${url}`,
    outlivesScreen: true,
    close: async () => client.close(),
  };
}

async function sitAlone(dataDir: string, why: string | undefined): Promise<TakenSeat> {
  const table = await openTable(dataDir);
  return {
    client: table.client,
    place: "hosted here",
    outlivesScreen: false,
    ...(why === undefined ? {} : { warning: `${why}; the session is hosted here and ends with this screen` }),
    close: () => table.close(),
  };
}

/** At a server that was named by its address: nothing is started when it goes. */
export async function takeSeatAt(server: { url: string; token: string }): Promise<TakenSeat> {
  const client = await createLastingClient(() => connectWebSocket(server.url, server.token));
  try {
    requireSameVersion({ url: server.url, version: client.host.version });
  } catch (error) {
    client.close();
    throw error;
  }
  return {
    client,
    place: `attached to ${server.url}`,
    outlivesScreen: true,
    close: async () => client.close(),
  };
}
