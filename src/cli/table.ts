/** A host and a client of it in this process, without a TCP port. Every command that touches sessions goes through here. */
import type { Client } from "../client/index.ts";
import { readVersion } from "./version.ts";

export interface Table {
  client: Client;
  /** Settles what runs here and gives the sessions back. */
  close(): Promise<void>;
}

export async function openTable(dataDir: string): Promise<Table> {
  const [{ createHost }, { createAgent }, { createClient, createConnectionPair }] = await Promise.all([
    import("../host/index.ts"),
    import("../agents/index.ts"),
    import("../client/index.ts"),
  ]);
  const host = await createHost({ dataDir, agentFactory: createAgent, version: readVersion() });
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
