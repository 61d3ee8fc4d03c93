/** A clock that stands still until a test moves it. */
import type { Clock } from "../../src/kit/clock.ts";

export interface HandClock extends Clock {
  /** Moves time on, calling what is due, in order. */
  advance(ms: number): void;
  /** As in a process that stood still: what was due meanwhile is called late, and nothing that it sets. */
  standStill(ms: number): void;
}

export function createHandClock(startTs = 1_700_000_000_000): HandClock {
  let elapsed = 0;
  let timers: { due: number; callback: () => void }[] = [];
  return {
    now: () => startTs + elapsed,
    monotonic: () => elapsed,
    after(ms, callback) {
      const timer = { due: elapsed + ms, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    advance(ms) {
      const end = elapsed + ms;
      for (;;) {
        const next = timers.filter((one) => one.due <= end).sort((a, b) => a.due - b.due)[0];
        if (next === undefined) break;
        timers = timers.filter((one) => one !== next);
        elapsed = next.due;
        next.callback();
      }
      elapsed = end;
    },
    standStill(ms) {
      elapsed += ms;
      const late = timers.filter((one) => one.due <= elapsed);
      timers = timers.filter((one) => one.due > elapsed);
      for (const { callback } of late) callback();
    },
  };
}

/** Lets everything that needs no time happen. */
export async function idle(turns = 12): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}
