/** Every event of a session from its beginning up to where it stands now, as the server tells them. */
import type { SessionEvent } from "../../protocol/index.ts";
import { REPLAY_EVENTS_MAX } from "../../transcript/index.ts";
import { createStreamReader } from "./stream-reader.ts";

export interface ReadEventsOptions {
  readonly ask: (path: string, init: { signal: AbortSignal }) => Promise<Response>;
  readonly sessionId: string;
  /** Where the session stands; what comes later is not waited for. */
  readonly lastSeq: number;
  readonly signal: AbortSignal;
  /** Called with each lot as it comes. */
  readonly onEvents: (events: readonly SessionEvent[]) => void;
}

/** Resolves when all of it was handed over, or REPLAY_EVENTS_MAX were. */
export async function readEvents(options: ReadEventsOptions): Promise<void> {
  let position: ReadPosition = { seq: 0, count: 0 };
  while (position.seq < options.lastSeq && position.count < REPLAY_EVENTS_MAX) {
    // A reader that is too slow is let go by the server, and comes back for the rest.
    const next = await readSome(options, position);
    if (next.seq === position.seq) throw new Error("The server gave no further events. Open the replay again.");
    position = next;
  }
}

interface ReadPosition {
  readonly seq: number;
  readonly count: number;
}

async function readSome(
  { ask, sessionId, lastSeq, signal, onEvents }: ReadEventsOptions,
  from: ReadPosition,
): Promise<ReadPosition> {
  const answer = await ask(`/v1/sessions/${sessionId}/events?after=${from.seq}`, { signal });
  if (!answer.ok || answer.body === null) throw new Error(`The events could not be fetched (${answer.status}).`);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  const stream = createStreamReader();
  let { seq, count } = from;
  try {
    while (seq < lastSeq && count < REPLAY_EVENTS_MAX) {
      const { done, value } = await reader.read();
      if (done) break;
      const batch = stream
        .push(value)
        .filter((event) => event.seq <= lastSeq)
        .slice(0, REPLAY_EVENTS_MAX - count);
      count += batch.length;
      seq = batch.at(-1)?.seq ?? seq;
      if (batch.length > 0) onEvents(batch);
    }
  } finally {
    // The stream goes on with what happens live, and that is not for here.
    await reader.cancel().catch(() => {});
  }
  return { seq, count };
}
