/** Draws a session as it grows: at most once a frame, and never too much of it at once. */
import type { SessionEvent } from "../../protocol/index.ts";
import { empty, fold, fromSnapshot, type Transcript } from "../../transcript/index.ts";

/** Asked any number of times, it draws once a frame. A page that nobody sees has no frames and draws now and then. */
const HIDDEN_MS = 250;

/**
 * States that wait to be drawn. What came while the page was busy is drawn in steps, so that no frame has all of it to
 * draw. A step grows with what waits: however fast it comes, what is drawn is never far behind.
 */

/** Of much that waits, this part is drawn. */
const STEP_SHARE = 1 / 8;

/** Beyond this every second one is forgotten: the steps become larger, nothing is lost. */
const WAITING_MAX = 1_024;

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

interface SmallSteps<State> {
  add(state: State): void;
  /** The state to draw now: one a step further, or the newest one of all; undefined when nothing waits. */
  next(options?: { readonly isWhole?: boolean }): State | undefined;
  isWaiting(): boolean;
  clear(): void;
}

interface SmallStepsOptions<State> {
  /** How much has led to a state. */
  readonly positionOf: (state: State) => number;
  /** So much is drawn without a second thought. */
  readonly step: number;
}

export function createSmallSteps<State>({ positionOf, step }: SmallStepsOptions<State>): SmallSteps<State> {
  let waiting: State[] = [];
  let drawnPosition: number | undefined;
  function stepFrom(position: number, newest: number): number {
    const limit = position + Math.max(step, Math.ceil((newest - position) * STEP_SHARE));
    const beyond = waiting.findIndex((state) => positionOf(state) > limit);
    return beyond < 0 ? waiting.length : Math.max(1, beyond);
  }
  return {
    add(state) {
      waiting.push(state);
      if (waiting.length > WAITING_MAX) waiting = waiting.filter((_, at) => (waiting.length - at) % 2 === 1);
    },
    next({ isWhole = false } = {}) {
      const newest = waiting.at(-1);
      if (newest === undefined) return undefined;
      const count =
        isWhole || drawnPosition === undefined ? waiting.length : stepFrom(drawnPosition, positionOf(newest));
      const drawn = waiting[count - 1] ?? newest;
      waiting = waiting.slice(count);
      drawnPosition = positionOf(drawn);
      return drawn;
    },
    isWaiting: () => waiting.length > 0,
    clear() {
      waiting = [];
      drawnPosition = undefined;
    },
  };
}

export function createFrames(draw: () => void): { ask(): void } {
  let cancel: (() => void) | undefined;
  function run(): void {
    cancel?.();
    cancel = undefined;
    draw();
  }
  document.addEventListener("visibilitychange", () => {
    if (cancel !== undefined) run();
  });
  return {
    ask() {
      if (cancel !== undefined) return;
      if (document.hidden) {
        const timer = setTimeout(run, HIDDEN_MS);
        cancel = () => clearTimeout(timer);
      } else {
        const frame = requestAnimationFrame(run);
        cancel = () => cancelAnimationFrame(frame);
      }
    },
  };
}
