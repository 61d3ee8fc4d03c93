/** Renders a growing session: at most thirty times a second, and never too much at once. */
import type { SessionEvent } from "../../protocol/index.ts";
import { empty, fold, fromSnapshot, type Transcript } from "../../transcript/index.ts";

/**
 * Shortest time between two renderings. Slightly below the 33 ms in which a member's text grows: rendering more often
 * would only render the members one by one.
 */
const FRAME_MS = 30;

/** A hidden page has no frames and renders at this interval. */
const HIDDEN_MS = 250;

/**
 * States waiting to be rendered. A backlog is rendered in steps, so that no frame has to render all of it; a step is
 * this share of the backlog, so that rendering never falls far behind.
 */
const STEP_SHARE = 1 / 8;

/** Beyond this every second state is dropped: steps become larger, nothing is lost. */
const WAITING_MAX = 1_024;

/** In characters. Three members write less than half of it between two frames. */
const STEP_CHARS = 800;

/** Cost of an event beside its text, in characters. */
const EVENT_CHARS = 20;

/** Events that arrive together are folded in batches of this size, so that they can be rendered in steps. */
const BATCH_CHARS = 400;

export interface SteadyDrawing {
  /** The fold of a followed session; passes on intermediate states. */
  foldWith(onStep: (transcript: Transcript) => void): SteppedFold;
  push(transcript: Transcript): void;
  /** Another session is opened: drops the backlog. */
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
    // A hidden page has no frames to keep short.
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
  /** The next state to render: one step further, or the newest; undefined without a backlog. */
  next(options?: { readonly isWhole?: boolean }): State | undefined;
  isWaiting(): boolean;
  clear(): void;
}

interface SmallStepsOptions<State> {
  /** Amount of content that led to a state. */
  readonly positionOf: (state: State) => number;
  /** Rendered at once regardless of the backlog. */
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

/** Coalesces requests into one per frame. */
export function createFrames(draw: () => void): { ask(): void } {
  let cancel: (() => void) | undefined;
  let drawnMs = -Infinity;
  function run(): void {
    cancel?.();
    cancel = undefined;
    draw();
  }
  function onFrame(nowMs: number): void {
    if (nowMs - drawnMs < FRAME_MS) return waitForFrame();
    drawnMs = nowMs;
    run();
  }
  function waitForFrame(): void {
    const frame = requestAnimationFrame(onFrame);
    cancel = () => cancelAnimationFrame(frame);
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
      } else waitForFrame();
    },
  };
}
