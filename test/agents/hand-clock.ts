/** A clock that stands still until a test moves it. */
import type { Clock } from "../../src/kit/clock.ts";

export interface HandClock extends Clock {
  /** Moves the time and calls what has become due, in order. */
  advance(ms: number): void;
  /** How many timers wait. */
  waiting(): number;
}

export function createHandClock(): HandClock {
  let at = 0;
  let timers: { dueMs: number; callback: () => void }[] = [];
  return {
    now: () => at,
    monotonic: () => at,
    after(ms, callback) {
      const timer = { dueMs: at + ms, callback };
      timers.push(timer);
      return () => void (timers = timers.filter((one) => one !== timer));
    },
    advance(ms) {
      at += ms;
      const due = timers.filter((one) => one.dueMs <= at).sort((a, b) => a.dueMs - b.dueMs);
      timers = timers.filter((one) => one.dueMs > at);
      for (const timer of due) timer.callback();
    },
    waiting: () => timers.length,
  };
}
