/** Replays a session as appended lines in the wording of the screen reader, at the recorded pace. */
import { type Clock, systemClock } from "../../kit/clock.ts";
import type { SessionEvent } from "../../protocol/index.ts";
import { createPace, dropFrozenPages, empty, reduce } from "../../transcript/index.ts";
import type { ScreenOptions } from "../app/options.ts";
import { Announcer } from "../reader/announcer.ts";
import { createLineOutput } from "../reader/terminal-lines.ts";

/** Resolves when everything was printed, or on abort. */
export async function runReplayLines(options: ReplayLinesOptions): Promise<void> {
  const { sessionId, events, speed, note, signal, write, flush, clock = systemClock } = options;
  const lines = createLineOutput(write);
  const announcer = new Announcer({ lines, fromPosition: 0, isKnown: () => false });
  const pace = createPace();
  let transcript = empty(sessionId);
  if (note !== undefined) lines.write(note);
  for await (const batch of events) {
    for (const event of batch) {
      const { waitMs } = pace.next(event.ts);
      if (speed > 0 && waitMs > 0) await wait(waitMs / speed, clock, signal);
      if (signal.aborted) return;
      transcript = reduce(transcript, event);
      announcer.show(transcript);
    }
    // Printed pages are not needed again; only the end of a long session is kept.
    transcript = dropFrozenPages(transcript, 1);
    await flush();
  }
  const { seq } = transcript.head;
  lines.write(`The replay has ended at event ${seq}.`);
}

function wait(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  const leave = () => {
    cancel();
    resolve();
  };
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  return promise.finally(() => signal.removeEventListener("abort", leave));
}

/** What the caller of a replay provides: the events of a session, and where to show them. */
export interface RecordedSession {
  readonly sessionId: string;
  /** From the first event, in batches, up to where the replay ends. */
  readonly events: AsyncIterable<readonly SessionEvent[]>;
  /** Multiple of the recorded pace; 0 is immediate. */
  readonly speed: number;
  /** Remark about this replay for the user. */
  readonly note?: string;
  /** Ends the replay from outside. */
  readonly signal: AbortSignal;
}

type Shared = "env" | "theme" | "settingsFile" | "keysFile" | "copyText" | "isInForeground";

export interface ReplayOptions extends RecordedSession, Pick<ScreenOptions, Shared> {}

export interface ReplayLinesOptions extends RecordedSession {
  readonly write: (text: string) => void;
  /** Resolves when output was flushed, so that a slow reader is not overrun. */
  readonly flush: () => Promise<void>;
  readonly clock?: Clock;
}
