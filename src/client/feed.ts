/** A position in one session's events that only moves forward: lets each seq through once and reports gaps. */
import type { Cursor, SessionEvent } from "../protocol/index.ts";

export interface Feed {
  readonly cursor: Cursor;
  /** The events that continue the feed, in order, and whether a gap follows them. */
  accept(events: readonly SessionEvent[]): { fresh: SessionEvent[]; hasGap: boolean };
  /** True when a second heartbeat in a row is ahead of the feed. */
  isLeftBehind(headSeq: number): boolean;
}

export function createFeed(start: Cursor): Feed {
  let cursor = start;
  /** Position of the feed at the last heartbeat that was ahead of it. */
  let behindAtSeq: number | undefined;
  return {
    get cursor() {
      return cursor;
    },
    accept(events) {
      const fresh: SessionEvent[] = [];
      for (const event of events) {
        const [first, last] = spanOf(event);
        if (last <= cursor.seq) continue;
        if (first > cursor.seq + 1) return { fresh, hasGap: true };
        cursor = { epoch: event.epoch, seq: last };
        fresh.push(event);
      }
      return { fresh, hasGap: false };
    },
    isLeftBehind(headSeq) {
      const isSecond = behindAtSeq === cursor.seq;
      behindAtSeq = headSeq > cursor.seq ? cursor.seq : undefined;
      return isSecond && behindAtSeq !== undefined;
    },
  };
}

/** The seqs an event covers: its own, or all that a damaged range of the log has lost. */
function spanOf(event: SessionEvent): [first: number, last: number] {
  return event.type === "damage" ? [event.fromSeq, Math.max(event.toSeq, event.seq)] : [event.seq, event.seq];
}
