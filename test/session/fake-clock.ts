/** Time that stands still until a test moves it. Timers run in order of their time, then of their making. */
import type { Clock } from "../../src/kit/clock.ts";

export interface FakeClock extends Clock {
  /** Moves time on and lets everything that follows from it settle. */
  advance(ms: number): Promise<void>;
  readonly timers: number;
}

/** Lets every promise that can settle settle; nothing of this uses real time. */
export async function settle(turns = 60): Promise<void> {
  for (let index = 0; index < turns; index += 1) await Promise.resolve();
}

export function createFakeClock(startMs = 1_700_000_000_000): FakeClock {
  let elapsed = 0;
  let made = 0;
  const timers = new Map<number, { at: number; callback: () => void }>();

  function nextBefore(limit: number): number | undefined {
    let best: number | undefined;
    for (const [id, timer] of timers) {
      if (timer.at > limit) continue;
      if (best === undefined || timer.at < (timers.get(best)?.at ?? 0)) best = id;
    }
    return best;
  }

  return {
    now: () => startMs + elapsed,
    monotonic: () => elapsed,
    after(ms, callback) {
      const id = (made += 1);
      timers.set(id, { at: elapsed + ms, callback });
      return () => timers.delete(id);
    },
    async advance(ms) {
      const limit = elapsed + ms;
      for (let id = nextBefore(limit); id !== undefined; id = nextBefore(limit)) {
        const timer = timers.get(id);
        timers.delete(id);
        elapsed = Math.max(elapsed, timer?.at ?? 0);
        timer?.callback();
        await settle();
      }
      elapsed = limit;
      await settle();
    },
    get timers() {
      return timers.size;
    },
  };
}
