/** Host and client in this process, without a TCP port. Used by every command that accesses sessions. */
import { setTimeout } from "node:timers/promises";
import type { Client } from "../../client/index.ts";
import { carriedEnvironment } from "../../kit/carried-environment.ts";
import type { SeenAs } from "../../protocol/index.ts";
import type { Setting } from "../config/environment.ts";
import { createLocalHost, type LocalHostOptions } from "./local-host.ts";

export interface InProcessHost {
  client: Client;
  /** Waits for turns of other processes that run in this host; calls `onWait` first if there are any. */
  close(onWait?: () => void): Promise<void>;
  /** Closes at once, without waiting. */
  abandon(): Promise<void>;
  /** As whom a session is read; absent on this machine. */
  readonly seenAs?: (sessionId: string) => Promise<SeenAs>;
}

const POLL_MS = 50;
/** Turns and requests have their own limits; this one covers a store that hangs. */
const OTHERS_MS_MAX = 3_600_000;

/** `overrides`: configuration keys from the command line, for this process. */
export async function openInProcessHost(
  dataDir: string,
  overrides: readonly Setting[] = [],
  { clientId, isReader }: LocalHostOptions & { readonly clientId?: string } = {},
): Promise<InProcessHost> {
  const [host, { createClient, createConnectionPair, newClientId }] = await Promise.all([
    createLocalHost(dataDir, overrides, { isReader }),
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
