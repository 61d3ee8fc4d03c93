/** A log written by hand: drafts, numbered and stamped as a log would. */
import type { EventDraft, SessionEvent } from "../../src/protocol/index.ts";

/** The time of the event with seq 0; each later one is a second after the one before. */
export const START_TS = 1_700_000_000_000;

export function stamped(drafts: readonly EventDraft[], after = 0): SessionEvent[] {
  return drafts.map((draft, index) => {
    const seq = after + index + 1;
    const envelope = { seq, epoch: 1, id: `event-${seq}`, ts: START_TS + seq * 1000, sessionId: "session" };
    return { ...envelope, ...draft };
  });
}
