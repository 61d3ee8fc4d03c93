/** A session's chat events, read from its log up to now. */
import { createClient, createConnectionPair } from "../../../src/client/index.ts";
import type { Clock } from "../../../src/kit/clock.ts";
import { RoundtableError } from "../../../src/protocol/index.ts";
import * as assistant from "../format/assistant.ts";
import type { ServedHost } from "../../../src/server/index.ts";
import { CLIENT_ID } from "./session-room.ts";

/** Long enough for a log of a million events on a slow disk. */
const READ_MS_MAX = 30_000;

export interface ReadChat {
  readonly host: ServedHost;
  readonly clock: Clock;
  readonly sessionId: string;
  /** The session's id at the client. */
  readonly name: string;
  readonly after?: string | undefined;
  readonly hasInteractions: boolean;
}

export async function readChat(options: ReadChat): Promise<{ events: assistant.ChatEvent[]; seq: number }> {
  const { host, clock, sessionId, name, after, hasInteractions } = options;
  const [near, far] = createConnectionPair();
  host.serve(far);
  const client = await createClient(async () => near, { clientId: CLIENT_ID, clock });
  const replay = assistant.createReplay({ sessionId: name, after, hasInteractions });
  const whole = Promise.withResolvers<void>();
  // Released when the connection ends.
  whole.promise.catch(() => {});
  let headSeq = Infinity;
  const check = () => replay.seq >= headSeq && whole.resolve();
  const cancel = clock.after(READ_MS_MAX, () =>
    whole.reject(new RoundtableError("store_unavailable", `Session ${name} could not be read in time.`)),
  );
  client.onClose((reason) => whole.reject(new RoundtableError("closed", `Session ${name} was not read: ${reason}.`)));
  try {
    const subscription = await client.subscribe(
      sessionId,
      { epoch: 0, seq: 0 },
      (events) => {
        replay.add(events);
        check();
      },
      { onResync: (reason) => whole.reject(new RoundtableError("store_unavailable", reason)) },
    );
    headSeq = subscription.head.seq;
    check();
    await whole.promise;
    return { events: replay.finish(), seq: replay.seq };
  } finally {
    cancel();
    client.close();
  }
}
