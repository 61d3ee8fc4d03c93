/**
 * Stops a crash loop: after `startsMax` failures within `windowMs` a program is not started again until the window has
 * passed.
 */
import type { Clock } from "../../../kit/clock.ts";

export interface RestartBudget {
  /** A start that counts as a failure until it is forgiven, or a message that says why it is refused. */
  acquire(): { readonly ok: true; readonly start: CountedStart } | { readonly ok: false; readonly message: string };
}

export interface CountedStart {
  /** Marks the start as good: the program did its work or was stopped by us. */
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
        return { ok: false, message: `${member} was started ${times} and exited each time. Try again in ${waitS} s.` };
      }
      const start = { atMs: nowMs };
      starts.push(start);
      return { ok: true, start: { forgive: () => (starts = starts.filter((one) => one !== start)) } };
    },
  };
}
