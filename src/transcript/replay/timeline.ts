/** When each event of a recording is shown, counted from its beginning: as it was recorded, but nobody waits long. */

/** A longer pause is shown as this long, at speed 1. */
export const PAUSE_MAX_MS = 2_000;

export interface Timeline {
  /** After the first event nothing has passed yet. */
  readonly totalMs: number;
  /** When the event of this step comes. */
  timeAt(step: number): number;
  /** How many events have come at this time. */
  stepAt(ms: number): number;
  /** By how much the pause before this step was cut. */
  cutBefore(step: number): number;
}

export interface Pace {
  /** How long to wait before an event that was recorded at this time, and how much of the pause is left out. */
  next(ts: number): { readonly waitMs: number; readonly cutMs: number };
}

/** The same rule for whoever hears the events one by one. */
export function createPace(): Pace {
  let last: number | undefined;
  return {
    next(ts) {
      // An event without a time of its own makes no pause.
      if (ts <= 0) return { waitMs: 0, cutMs: 0 };
      // Nor does a clock that was set back, or a fork, whose events are older than its beginning.
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
