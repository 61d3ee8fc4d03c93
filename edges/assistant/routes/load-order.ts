/**
 * Assistant's page draws a session anew from what it loads, and forgets what it was told before. It asks for the events
 * and for the subscription at about the same time, so a session in which something runs is read when somebody listens.
 */
import type { Clock } from "../../../src/kit/clock.ts";

/** How long a load waits for a subscription. */
const WAIT_MS = 400;
/** How long before a load one may have come; another page's should not be taken for it. */
const RECENT_MS = 100;
/** As long as it takes until a page has what was sent to it, and a millisecond more for so many events. */
const HOLD_MS = 150;
const HOLD_EVENTS_A_MS = 100;
const HOLD_MS_MAX = 1_000;

/** A log that takes longer to read is not worth that everybody waits for it. */
export const READING_MS_MAX = 2_000;

export function holdMs(eventCount: number): number {
  return Math.min(HOLD_MS + Math.ceil(eventCount / HOLD_EVENTS_A_MS), HOLD_MS_MAX);
}

export class LoadOrder {
  readonly #clock: Clock;
  readonly #subscribedMs = new Map<string, number>();
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Somebody listens to this session from now on, or says again that it does. */
  noteSubscribed(sessionId: string): void {
    const now = this.#clock.monotonic();
    for (const [other, ms] of this.#subscribedMs) if (ms < now - RECENT_MS) this.#subscribedMs.delete(other);
    this.#subscribedMs.set(sessionId, now);
    for (const go of this.#waiting.get(sessionId) ?? []) go();
  }

  /** Resolves when somebody has just subscribed, or after a moment in which nobody did. */
  async subscribed(sessionId: string): Promise<void> {
    const last = this.#subscribedMs.get(sessionId) ?? -Infinity;
    if (last >= this.#clock.monotonic() - RECENT_MS) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(sessionId) ?? new Set();
    this.#waiting.set(sessionId, waiting.add(resolve));
    const cancel = this.#clock.after(WAIT_MS, resolve);
    await promise;
    cancel();
    waiting.delete(resolve);
    if (waiting.size === 0) this.#waiting.delete(sessionId);
  }
}
