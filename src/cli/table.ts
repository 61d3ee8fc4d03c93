/** A host and a client of it in this process, without a TCP port. Every command that touches sessions goes through here. */
import type { Client } from "../client/index.ts";
import { carriedEnvironment } from "../kit/carried-environment.ts";
import type { Setting } from "./config/environment.ts";
import { createLocalHost } from "./local-host.ts";

export interface Table {
  client: Client;
  /** Settles what runs here and gives the sessions back. */
  close(): Promise<void>;
}

/** `overrides` are keys of the configuration that the command line says for this process. */
export async function openTable(dataDir: string, overrides: readonly Setting[] = []): Promise<Table> {
  const [host, { createClient, createConnectionPair }] = await Promise.all([
    createLocalHost(dataDir, overrides),
    import("../client/index.ts"),
  ]);
  const [mine, theirs] = createConnectionPair();
  host.serve(theirs, { environment: carriedEnvironment(process.env) });
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
