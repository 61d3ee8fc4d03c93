/** Clock that tests can replace. `now` is wall time, for display only; durations and timeouts use `monotonic`. */
export interface Clock {
  now(): number;
  monotonic(): number;
  /** Calls back once after `ms`; the returned function cancels and is safe to call at any time. */
  after(ms: number, callback: () => void): () => void;
}

/** Node fires longer timers immediately. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), TIMER_MS_MAX));
    return () => clearTimeout(timer);
  },
};

/** A late step counts as one step. */
const STEPS = 10;

/**
 * Timeout that counts only time in which the event loop ran: after a suspended machine or a long synchronous task, the
 * peer was held up too. The returned function cancels.
 */
export function afterRunning(clock: Clock, ms: number, callback: () => void): () => void {
  let left = STEPS;
  let cancel = (): void => {};
  const wait = (): void => {
    cancel = clock.after(ms / STEPS, () => {
      left -= 1;
      if (left === 0) callback();
      else wait();
    });
  };
  wait();
  return () => cancel();
}
