/** A past session as appended lines, in the words of the reader, each when it was said. */
import { type Clock, systemClock } from "../../kit/clock.ts";
import type { SessionEvent } from "../../protocol/index.ts";
import { createPace, dropFrozenPages, empty, reduce } from "../../transcript/index.ts";
import type { ScreenOptions } from "../app/options.ts";
import { Announcer } from "../reader/announcer.ts";
import { createLineOutput } from "../reader/terminal-lines.ts";

/** Resolves when everything was said, or when it was ended from outside. */
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
    // What was said is not needed again; of a long session no more than the end is kept.
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

/** What a replay is given from outside: the events of a session, and where to show them. */
export interface RecordedSession {
  readonly sessionId: string;
  /** From the first on, in lots; it ends where the replay shall end. */
  readonly events: AsyncIterable<readonly SessionEvent[]>;
  /** How many times as fast as it was recorded; 0 is at once. */
  readonly speed: number;
  /** Something the user should know of this replay. */
  readonly note?: string;
  /** Ends it from outside. */
  readonly signal: AbortSignal;
}

type Shared = "env" | "theme" | "settingsFile" | "keysFile" | "copyText" | "isInForeground";

export interface ReplayOptions extends RecordedSession, Pick<ScreenOptions, Shared> {}

export interface ReplayLinesOptions extends RecordedSession {
  readonly write: (text: string) => void;
  /** Resolves when what was written has left the process: a slow reader is waited for. */
  readonly flush: () => Promise<void>;
  readonly clock?: Clock;
}
