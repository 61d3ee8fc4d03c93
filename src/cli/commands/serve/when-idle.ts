/** Notices that nobody has needed the server for a while. */
import { systemClock, type Clock } from "../../../kit/clock.ts";

/** How often is looked whether anybody needs it, at the least. */
const CHECK_MS_MAX = 10_000;

export interface IdleWatch {
  isNeeded: () => boolean;
  /** Requests so far: one that came and was answered between two looks is a need, too. */
  requests: () => number;
  idleMs: number;
  onIdle: () => void;
  clock?: Clock;
}

/** Calls back once, when nothing was needed at any look for the whole time. Ended by the returned function. */
export function whenIdle({ isNeeded, requests, idleMs, onIdle, clock = systemClock }: IdleWatch): () => void {
  const stepMs = Math.min(idleMs / 4, CHECK_MS_MAX);
  let neededAtMs = clock.monotonic();
  let seen = requests();
  let cancel = clock.after(stepMs, check);
  function check(): void {
    const now = requests();
    if (isNeeded() || now !== seen) neededAtMs = clock.monotonic();
    seen = now;
    if (clock.monotonic() - neededAtMs >= idleMs) return onIdle();
    cancel = clock.after(stepMs, check);
  }
  return () => cancel();
}
