/**
 * Events of a session, and the transcript after any number of them. A transcript is stored every few hundred events;
 * they share structure, so that seeking folds few events and costs little memory.
 */

import type { SessionEvent } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import { fold } from "../fold.ts";
import type { Transcript } from "../model.ts";

const CHECKPOINT_EVENTS = 256;
/** A longer session is replayed up to here when all of it is held in memory; the view says so. */
export const REPLAY_EVENTS_MAX = 200_000;

export class Recording {
  readonly sessionId: string;
  readonly #events: SessionEvent[] = [];
  /** After 0, CHECKPOINT_EVENTS, 2 × CHECKPOINT_EVENTS … events. */
  readonly #checkpoints: Transcript[];
  /** Step of each user message. */
  readonly #userSteps: number[] = [];
  #end: Transcript;
  #last: { step: number; transcript: Transcript };

  constructor(sessionId: string) {
    this.sessionId = sessionId;
    this.#end = empty(sessionId);
    this.#checkpoints = [this.#end];
    this.#last = { step: 0, transcript: this.#end };
  }

  get length(): number {
    return this.#events.length;
  }

  get userSteps(): readonly number[] {
    return this.#userSteps;
  }

  add(events: readonly SessionEvent[]): void {
    for (let at = 0; at < events.length;) {
      const room = CHECKPOINT_EVENTS - (this.#events.length % CHECKPOINT_EVENTS);
      const batch = events.slice(at, at + room);
      for (const event of batch) {
        this.#events.push(event);
        if (event.type === "user_message") this.#userSteps.push(this.#events.length);
      }
      this.#end = fold(this.#end, batch);
      if (this.#events.length % CHECKPOINT_EVENTS === 0) this.#checkpoints.push(this.#end);
      at += batch.length;
    }
  }

  /** The last event shown at this step; undefined before the first. */
  eventAt(step: number): SessionEvent | undefined {
    return this.#events[step - 1];
  }

  /** Step at which the session had this seq; the last one when it never did. */
  stepOf(seq: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#events[middle - 1]?.seq ?? 0) <= seq) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  transcriptAt(step: number): Transcript {
    const wanted = Math.min(Math.max(step, 0), this.#events.length);
    if (wanted === this.#events.length) return this.#end;
    const checkpoint = Math.floor(wanted / CHECKPOINT_EVENTS);
    // When moving forward, the last shown state is nearer than the previous checkpoint.
    const isNearer = this.#last.step <= wanted && this.#last.step >= checkpoint * CHECKPOINT_EVENTS;
    const from = isNearer ? this.#last.step : checkpoint * CHECKPOINT_EVENTS;
    const base = isNearer ? this.#last.transcript : this.#checkpoints[checkpoint];
    if (base === undefined) throw new Error(`the recording of ${this.sessionId} has no checkpoint ${checkpoint}`);
    this.#last = { step: wanted, transcript: fold(base, this.#events.slice(from, wanted)) };
    return this.#last.transcript;
  }
}

/** Longer pauses are shown as this long, at speed 1. */
export const PAUSE_MAX_MS = 2_000;

export interface Timeline {
  /** Zero for a single event. */
  readonly totalMs: number;
  /** Time at which this step is shown. */
  timeAt(step: number): number;
  /** Number of events shown at this time. */
  stepAt(ms: number): number;
  /** How much the pause before this step was shortened. */
  cutBefore(step: number): number;
}

export interface Pace {
  /** Wait before an event with this timestamp, and how much of the pause is cut. */
  next(ts: number): { readonly waitMs: number; readonly cutMs: number };
}

/** The same pace for a reader that gets events one by one. */
export function createPace(): Pace {
  let last: number | undefined;
  return {
    next(ts) {
      // An event without a timestamp causes no pause.
      if (ts <= 0) return { waitMs: 0, cutMs: 0 };
      // Nor does a clock that was set back, or a fork, whose events are older than its start.
      const pause = last === undefined ? 0 : Math.max(0, ts - last);
      last = ts;
      const waitMs = Math.min(pause, PAUSE_MAX_MS);
      return { waitMs, cutMs: pause - waitMs };
    },
  };
}

export function createTimeline(length: number, tsOf: (step: number) => number): Timeline {
  const times: number[] = [];
  const cuts = new Map<number, number>();
  const pace = createPace();
  let now = 0;
  for (let step = 1; step <= length; step += 1) {
    const { waitMs, cutMs } = pace.next(tsOf(step));
    if (cutMs > 0) cuts.set(step, cutMs);
    now += waitMs;
    times.push(now);
  }
  return {
    totalMs: now,
    timeAt: (step) => (step < 1 ? 0 : (times[Math.min(step, length) - 1] ?? 0)),
    stepAt(ms) {
      let low = 0;
      let high = length;
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((times[middle - 1] ?? 0) <= ms) low = middle;
        else high = middle - 1;
      }
      return low;
    },
    cutBefore: (step) => cuts.get(step) ?? 0,
  };
}
