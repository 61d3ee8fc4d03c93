/** A host and a client of it in this process, without a TCP port. Every command that touches sessions goes through here. */
import type { Client } from "../client/index.ts";
import { createLocalHost } from "./local-host.ts";

export interface Table {
  client: Client;
  /** Settles what runs here and gives the sessions back. */
  close(): Promise<void>;
}

export async function openTable(dataDir: string): Promise<Table> {
  const [host, { createClient, createConnectionPair }] = await Promise.all([
    createLocalHost(dataDir),
    import("../client/index.ts"),
  ]);
  const [mine, theirs] = createConnectionPair();
  host.serve(theirs);
  try {
    const client = await createClient(async () => mine);
    return {
      client,
      async close() {
        client.close();
        await host.close();
      },
    };
  } catch (error) {
    await host.close();
    throw error;
  }
}
