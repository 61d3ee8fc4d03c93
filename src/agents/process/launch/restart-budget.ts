/** Ends a crash loop: a program that went wrong so many times in so short a time is not started again for a while. */
import type { Clock } from "../../../kit/clock.ts";

export interface RestartBudget {
  /** A start that counts until it is forgiven, or the sentence that says why there is none. */
  acquire(): { readonly ok: true; readonly start: CountedStart } | { readonly ok: false; readonly message: string };
}

export interface CountedStart {
  /** The program did its work or was ended by us: this start does not count as a failure. */
  forgive(): void;
}

export interface BudgetOptions {
  readonly member: string;
  readonly clock: Clock;
  readonly startsMax: number;
  readonly windowMs: number;
}

export function createRestartBudget({ member, clock, startsMax, windowMs }: BudgetOptions): RestartBudget {
  let starts: { atMs: number }[] = [];
  return {
    acquire() {
      const nowMs = clock.monotonic();
      starts = starts.filter((one) => nowMs - one.atMs < windowMs);
      const [oldest] = starts;
      if (oldest !== undefined && starts.length >= startsMax) {
        const waitS = Math.ceil((oldest.atMs + windowMs - nowMs) / 1000);
        const times = `${startsMax} times in ${Math.round(windowMs / 1000)} s`;
        return { ok: false, message: `${member} was started ${times} and ended each time. Try again in ${waitS} s.` };
      }
      const start = { atMs: nowMs };
      starts.push(start);
      return { ok: true, start: { forgive: () => (starts = starts.filter((one) => one !== start)) } };
    },
  };
}
