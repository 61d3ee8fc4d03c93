/**
 * Joins stream deltas: the first is passed on at once, later ones every 33 ms. `flush` passes on buffered text;
 * nothing comes after `drop`.
 */
import type { Clock } from "../../kit/clock.ts";

export const FLUSH_MS = 33;

export interface DeltaJoiner {
  add(text: string): void;
  flush(): void;
  drop(): void;
}

export function createDeltaJoiner(clock: Clock, emit: (text: string) => void): DeltaJoiner {
  let waiting = "";
  let dueMs = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | undefined;

  function drop(): void {
    cancel?.();
    cancel = undefined;
    waiting = "";
  }

  function flush(): void {
    const text = waiting;
    drop();
    if (text === "") return;
    const nowMs = clock.monotonic();
    // Scheduled from the due time, so that a late timer does not delay all later ones.
    dueMs = (nowMs - dueMs < FLUSH_MS ? dueMs : nowMs) + FLUSH_MS;
    emit(text);
  }

  return {
    add(text) {
      if (text === "") return;
      waiting += text;
      if (cancel !== undefined) return;
      const waitMs = dueMs - clock.monotonic();
      if (waitMs <= 0) flush();
      else cancel = clock.after(waitMs, flush);
    },
    flush,
    drop,
  };
}
