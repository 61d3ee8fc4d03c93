/**
 * Waits for something, but no longer than a limit; whoever waits for a foreign program waits like this.
 * Promise: what had happened before the limit counts, also when this process was held up and sees both at once.
 */
import type { Clock } from "../../kit/clock.ts";
import { drainBeforeTimeout } from "../../kit/io/drain-before-timeout.ts";

/** True when it came in time. */
export async function within(clock: Clock, ms: number, awaited: Promise<unknown>): Promise<boolean> {
  const limit = Promise.withResolvers<false>();
  const cancel = clock.after(ms, () => void drainBeforeTimeout().then(() => limit.resolve(false)));
  try {
    return await Promise.race([awaited.then(() => true), limit.promise]);
  } finally {
    cancel();
  }
}
