/**
 * Assistant's page redraws a session from what it loads and forgets earlier frames. It requests events and subscription
 * at about the same time, so a running session is read once it is subscribed.
 */
import type { Clock } from "../../../src/kit/clock.ts";

/** How long a load waits for a subscription. */
const WAIT_MS = 400;
/** Maximum age of a subscription for a load; another page's should not match. */
const RECENT_MS = 100;
/** Time until a page has received what was sent, plus a millisecond per so many events. */
const HOLD_MS = 150;
const HOLD_EVENTS_A_MS = 100;
const HOLD_MS_MAX = 1_000;

/** A log that takes longer to read must not delay every listener. */
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

  /** Called for every subscription, also repeated ones. */
  noteSubscribed(sessionId: string): void {
    const now = this.#clock.monotonic();
    for (const [other, ms] of this.#subscribedMs) if (ms < now - RECENT_MS) this.#subscribedMs.delete(other);
    this.#subscribedMs.set(sessionId, now);
    for (const go of this.#waiting.get(sessionId) ?? []) go();
  }

  /** Resolves at a recent subscription, or after a short wait without one. */
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
