/** Generated sessions whose turns all come to an end, and how they may be cut into the lots in which they are told. */
import * as fc from "fast-check";
import type { SessionEvent } from "../../src/protocol/index.ts";
import { empty, fold } from "../../src/transcript/index.ts";

export const batchSizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 12 });

/** The events in lots of these sizes, over and over. */
export function* batchesOf(events: readonly SessionEvent[], sizes: readonly number[]): Generator<SessionEvent[]> {
  for (let from = 0, step = 0; from < events.length; step += 1) {
    const size = sizes[step % sizes.length] ?? 1;
    yield events.slice(from, from + size);
    from += size;
  }
}

/** Every turn that is open at the end of a log is ended. */
export function ended(events: readonly SessionEvent[]): SessionEvent[] {
  const { head } = fold(empty("session"), events);
  const ends = Object.values(head.openTurns).map(({ turnId, member }, index): SessionEvent => {
    const seq = head.seq + index + 1;
    return {
      seq,
      epoch: Math.max(1, head.epoch),
      id: `end-${seq}`,
      ts: 1_800_000_000_000 + seq,
      sessionId: "session",
      type: "turn_end",
      turnId,
      member,
      outcome: "interrupted",
      durationMs: 1,
    };
  });
  return [...events, ...ends];
}
