/**
 * Waiting for a client that is behind. The wait costs nothing but a timer: whoever feeds the client stops until it is
 * over, so a slow client never holds memory that others need.
 */
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

/** Resolves with true when the client has caught up, with false when it has not in time or `isOver` says to stop. */
export function waitForDrain(client: Backlogged, clock: Clock, isOver: () => boolean): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const deadline = clock.monotonic() + DRAIN_TIMEOUT_MS;
  let pollMs = 0;
  function poll(): void {
    if (isOver()) return resolve(false);
    if (!isBehind(client)) return resolve(true);
    if (clock.monotonic() >= deadline) return resolve(false);
    // A client in this process has caught up by the next turn of the event loop; a stuck one is asked rarely.
    pollMs = Math.min(pollMs * 2 + 1, POLL_MS_MAX);
    clock.after(pollMs, poll);
  }
  clock.after(0, poll);
  return promise;
}
