/**
 * Wrong tokens and codes, counted for the whole process: everybody on this machine has the same address. Whoever brings
 * the right one is never held up by those who guess.
 */
import type { Clock } from "../../kit/clock.ts";

const FAILURES_MAX = 20;
const WINDOW_MS = 10_000;
const SHUT_MS = 10_000;

export const TOO_MANY_FAILURES = "Too many wrong tokens. Wait ten seconds.";

export interface FailedAttempts {
  /** Counts one more. False when there are too many and the answer is to say only that. */
  note(): boolean;
}

/** `warn` hears one sentence each time the door shuts, however many go on knocking. */
export function createFailedAttempts(clock: Clock, warn: (sentence: string) => void): FailedAttempts {
  let times: number[] = [];
  let shutUntilMs = -Infinity;
  return {
    note() {
      const nowMs = clock.monotonic();
      if (nowMs < shutUntilMs) return false;
      times = [...times.filter((time) => nowMs - time < WINDOW_MS), nowMs];
      if (times.length <= FAILURES_MAX) return true;
      times = [];
      shutUntilMs = nowMs + SHUT_MS;
      warn(
        `More than ${FAILURES_MAX} wrong tokens within ${WINDOW_MS / 1000} seconds: somebody guesses, and is shut out.`,
      );
      return false;
    },
  };
}
