/**
 * Waits for a promise with a time limit. What happened before the limit counts, even if this process was stalled and
 * sees both at once.
 */
import type { Clock } from "../../kit/clock.ts";
import { drainBeforeTimeout } from "../../kit/io/drain-before-timeout.ts";

/** True when it resolved in time. */
export async function within(clock: Clock, ms: number, awaited: Promise<unknown>): Promise<boolean> {
  const limit = Promise.withResolvers<false>();
  const cancel = clock.after(ms, () => void drainBeforeTimeout().then(() => limit.resolve(false)));
  try {
    return await Promise.race([awaited.then(() => true), limit.promise]);
  } finally {
    cancel();
  }
}
