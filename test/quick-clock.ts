/** The system's clock, so many times faster: what waits for a limit, waits less. Times of day stay. */
import { systemClock, type Clock } from "../src/kit/clock.ts";

export function quickClock(speed: number): Clock {
  return {
    now: () => systemClock.now(),
    monotonic: () => systemClock.monotonic() * speed,
    after: (ms, callback) => systemClock.after(ms / speed, callback),
  };
}
