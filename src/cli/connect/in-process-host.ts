/** A host and a client of it in this process, without a TCP port. Every command that touches sessions goes through here. */
import { setTimeout } from "node:timers/promises";
import type { Client } from "../../client/index.ts";
import { carriedEnvironment } from "../../kit/carried-environment.ts";
import type { Setting } from "../config/environment.ts";
import { createLocalHost } from "./local-host.ts";

export interface InProcessHost {
  client: Client;
  /** Once the turns of other processes that work here are done: calls `onWait` first when there are some. */
  close(onWait?: () => void): Promise<void>;
  /** At once, whoever works here. */
  abandon(): Promise<void>;
}

const POLL_MS = 50;
/** Turns and requests have limits of their own; this one is for a store that stands still. */
const OTHERS_MS_MAX = 3_600_000;

/** `overrides` are keys of the configuration that the command line says for this process. */
export async function openInProcessHost(
  dataDir: string,
  overrides: readonly Setting[] = [],
  clientId?: string,
): Promise<InProcessHost> {
  const [host, { createClient, createConnectionPair, newClientId }] = await Promise.all([
    createLocalHost(dataDir, overrides),
    import("../../client/index.ts"),
  ]);
  const [mine, theirs] = createConnectionPair();
  host.serve(theirs, { environment: carriedEnvironment(process.env) });
  try {
    const client = await createClient(async () => mine, { clientId: clientId ?? newClientId("command") });
    return {
      client,
      async close(onWait) {
        client.close();
        if (host.isServing()) onWait?.();
        for (let waitedMs = 0; host.isServing() && waitedMs < OTHERS_MS_MAX; waitedMs += POLL_MS) {
          await setTimeout(POLL_MS);
        }
        await host.close();
      },
      async abandon() {
        client.close();
        await host.close();
      },
    };
  } catch (error) {
    await host.close();
    throw error;
  }
}
