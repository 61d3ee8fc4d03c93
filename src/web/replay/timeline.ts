/** When each event of a recording is shown, counted from its beginning: as it was recorded, but nobody waits long. */

/** A longer pause is shown as this long. */
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

export function createTimeline(length: number, tsOf: (step: number) => number): Timeline {
  const times: number[] = [];
  const cuts = new Map<number, number>();
  let now = 0;
  let newest = 0;
  for (let step = 1; step <= length; step += 1) {
    // A clock that was set back, and events without a time of their own, make no pause.
    const pause = step === 1 ? 0 : Math.max(0, tsOf(step) - newest);
    newest = Math.max(newest, tsOf(step));
    if (pause > PAUSE_MAX_MS) cuts.set(step, pause - PAUSE_MAX_MS);
    now += Math.min(pause, PAUSE_MAX_MS);
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
