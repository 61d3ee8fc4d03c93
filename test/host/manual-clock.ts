/** A clock that stands still until a test moves it. */
import type { Clock } from "../../src/kit/clock.ts";

export interface ManualClock extends Clock {
  advance(ms: number): void;
}

export function createManualClock(): ManualClock {
  let nowMs = 0;
  let nextOrder = 0;
  const timers = new Set<{ at: number; order: number; callback: () => void }>();
  return {
    now: () => 1_700_000_000_000 + nowMs,
    monotonic: () => nowMs,
    after(ms, callback) {
      const timer = { at: nowMs + ms, order: nextOrder++, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      const until = nowMs + ms;
      for (;;) {
        const due = [...timers].filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at || a.order - b.order);
        const [first] = due;
        if (first === undefined) break;
        timers.delete(first);
        nowMs = Math.max(nowMs, first.at);
        first.callback();
      }
      nowMs = until;
    },
  };
}
