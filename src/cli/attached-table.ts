/** A client of a server that runs in another process; the counterpart of a table in this one. */
import { connectWebSocket, createClient } from "../client/index.ts";
import type { Table } from "./table.ts";

export async function attachTable({ url, token }: { url: string; token: string }): Promise<Table> {
  const client = await createClient(() => connectWebSocket(url, token));
  return {
    client,
    async close() {
      client.close();
    },
  };
}
