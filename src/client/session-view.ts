/** Live transcript of one session: a snapshot, then every event after it, folded. Starts over on a resync. */
import type { Client, Subscription } from "./client-port.ts";
import type { Cursor, SessionEvent } from "../protocol/index.ts";
import { empty, fold, fromSnapshot, withPage, type Transcript } from "../transcript/index.ts";

export interface SessionView {
  readonly transcript: Transcript;
  close(): void;
}

export interface ViewOptions {
  /** Called after folding. `events` are only those after the start of the view. */
  onChange: (transcript: Transcript, events: readonly SessionEvent[]) => void;
  onLost: (error: Error) => void;
}

/** The whole transcript, with every page in memory. Takes no lock. */
export async function readTranscript(client: Client, sessionId: string): Promise<Transcript> {
  let transcript = await readHead(client, sessionId);
  for (const [index, page] of transcript.frozen.entries()) {
    if (page === undefined) transcript = withPage(transcript, index, await client.page(sessionId, index));
  }
  return transcript;
}

/** Follows the session from its current head, or from its beginning. */
export async function viewSession(
  client: Client,
  sessionId: string,
  { from, onChange, onLost }: ViewOptions & { from: "beginning" | "now" },
): Promise<SessionView> {
  let transcript = from === "now" ? await readHead(client, sessionId) : empty(sessionId);
  let seenSeq = transcript.head.seq;
  let subscription: Subscription | undefined;
  let isClosed = false;

  function apply(events: readonly SessionEvent[]): void {
    transcript = fold(transcript, events);
    const fresh = events.filter((event) => event.seq > seenSeq);
    seenSeq = Math.max(seenSeq, transcript.head.seq);
    onChange(transcript, fresh);
  }

  async function subscribe(): Promise<void> {
    const cursor: Cursor = { epoch: transcript.head.epoch, seq: transcript.head.seq };
    subscription = await client.subscribe(sessionId, cursor, apply, { onResync: () => void resync() });
    if (isClosed) subscription.close();
  }

  async function resync(): Promise<void> {
    if (isClosed) return;
    try {
      transcript = await readHead(client, sessionId);
      await subscribe();
      onChange(transcript, []);
    } catch (error) {
      onLost(error instanceof Error ? error : new Error(String(error)));
    }
  }

  await subscribe();
  return {
    get transcript() {
      return transcript;
    },
    close() {
      isClosed = true;
      subscription?.close();
    },
  };
}

/** The current transcript without its older pages; empty when the snapshot has another fold version. */
export async function readHead(client: Client, sessionId: string): Promise<Transcript> {
  return fromSnapshot(await client.snapshot(sessionId)) ?? empty(sessionId);
}
