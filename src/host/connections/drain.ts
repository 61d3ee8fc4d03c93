/** Backpressure of a slow client: its feed pauses until the client has caught up, so it never builds up memory. */
import type { Clock } from "../../kit/clock.ts";

export const BACKLOG_BYTES_MAX = 1024 * 1024;
const DRAIN_TIMEOUT_MS = 30_000;
const POLL_MS_MAX = 50;

export interface Backlogged {
  readonly backlogBytes: number;
}

export function isBehind(client: Backlogged): boolean {
  return client.backlogBytes > BACKLOG_BYTES_MAX;
}

/** Resolves with true when the client has caught up, with false on timeout or abort. */
export function waitForDrain(client: Backlogged, clock: Clock, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const deadline = clock.monotonic() + DRAIN_TIMEOUT_MS;
  let pollMs = 0;
  function poll(): void {
    if (signal.aborted) return resolve(false);
    if (!isBehind(client)) return resolve(true);
    if (clock.monotonic() >= deadline) return resolve(false);
    // A client in this process catches up within one tick; a stuck one is polled rarely.
    pollMs = Math.min(pollMs * 2 + 1, POLL_MS_MAX);
    clock.after(pollMs, poll);
  }
  clock.after(0, poll);
  return promise;
}
