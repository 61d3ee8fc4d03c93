/**
 * Time as a value that tests can hold still.
 * `now` is the wall clock, for display only; every duration and limit is measured with `monotonic`.
 */
export interface Clock {
  now(): number;
  monotonic(): number;
  /** Calls back once after `ms`; the returned function cancels and may be called at any time. */
  after(ms: number, callback: () => void): () => void;
}

/** Node fires a timer that is set for longer than this at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), TIMER_MS_MAX));
    return () => clearTimeout(timer);
  },
};
