/** Idle detection of the server. */
import { systemClock, type Clock } from "../../../kit/clock.ts";

/** Longest interval between two checks. */
const CHECK_MS_MAX = 10_000;

export interface IdleWatch {
  isNeeded: () => boolean;
  /** Request count: a request between two checks counts as activity too. */
  requests: () => number;
  idleMs: number;
  onIdle: () => void;
  clock?: Clock;
}

/** Calls back once, when every check during the whole time found it idle. The returned function cancels it. */
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
