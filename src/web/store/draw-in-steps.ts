/** Draws a session as it grows: at most once a frame, and never too much of it at once. */
import type { SessionEvent } from "../../protocol/index.ts";
import { empty, fold, fromSnapshot, type Transcript } from "../../transcript/index.ts";
import { createFrames } from "./frames.ts";
import { createSmallSteps } from "./small-steps.ts";

/** Characters. What three members say between two frames is less than half of it. */
const STEP_CHARS = 800;
/** What costs an event beside its text, in characters. */
const EVENT_CHARS = 20;
/** Events that come at once are folded in lots of this size, so that they can be drawn in steps. */
const BATCH_CHARS = 400;

export interface SteadyDrawing {
  /** For a session that is followed; gives away the states on the way to the one it returns. */
  foldWith(onStep: (transcript: Transcript) => void): SteppedFold;
  push(transcript: Transcript): void;
  /** Another session is opened: what waits is not drawn any more. */
  clear(): void;
}

interface SteppedFold {
  empty(sessionId: string): Transcript;
  fromSnapshot: typeof fromSnapshot;
  fold(transcript: Transcript, events: readonly SessionEvent[]): Transcript;
  cursorOf(transcript: Transcript): Pick<Transcript["head"], "epoch" | "seq">;
}

export function drawInSteps(draw: (transcript: Transcript) => void): SteadyDrawing {
  let folded = 0;
  const steps = createSmallSteps<{ transcript: Transcript; position: number }>({
    positionOf: ({ position }) => position,
    step: STEP_CHARS,
  });
  const frames = createFrames(() => {
    // Nobody waits for the frames of a page that is not seen.
    const next = steps.next({ isWhole: document.hidden });
    if (steps.isWaiting()) frames.ask();
    if (next !== undefined) draw(next.transcript);
  });
  return {
    foldWith: (onStep) => ({
      empty,
      fromSnapshot,
      fold: (transcript, events) =>
        batchesOf(events).reduce((state, batch, at) => {
          if (at > 0) onStep(state);
          folded += charsOf(batch);
          return fold(state, batch);
        }, transcript),
      cursorOf: ({ head: { epoch, seq } }) => ({ epoch, seq }),
    }),
    push(transcript) {
      steps.add({ transcript, position: folded });
      frames.ask();
    },
    clear: () => steps.clear(),
  };
}

export function batchesOf(events: readonly SessionEvent[]): readonly (readonly SessionEvent[])[] {
  const batches: SessionEvent[][] = [];
  let room = 0;
  for (const event of events) {
    const last = batches.at(-1);
    if (last === undefined || room <= 0) {
      batches.push([event]);
      room = BATCH_CHARS;
    } else last.push(event);
    room -= charsOf([event]);
  }
  return batches;
}

function charsOf(events: readonly SessionEvent[]): number {
  return events.reduce((sum, event) => sum + EVENT_CHARS + (event.type === "text_delta" ? event.text.length : 0), 0);
}
