/**
 * Joins small pieces of a stream: a piece goes on at once when none did in the last JOIN_MS, the first always; the
 * others are gathered until then.
 * `flush` gives what is waiting; nothing comes after `drop`.
 */
import type { Clock } from "../kit/clock.ts";
import { JOIN_MS } from "./limits.ts";

export interface DeltaJoiner {
  add(text: string): void;
  flush(): void;
  drop(): void;
}

export function createDeltaJoiner(clock: Clock, emit: (text: string) => void): DeltaJoiner {
  let lastMs = -Infinity;
  let waiting = "";
  let cancel: (() => void) | undefined;

  function flush(): void {
    cancel?.();
    cancel = undefined;
    const text = waiting;
    waiting = "";
    if (text === "") return;
    lastMs = clock.monotonic();
    emit(text);
  }

  return {
    add(text) {
      if (text === "") return;
      waiting += text;
      if (cancel !== undefined) return;
      const waitMs = lastMs + JOIN_MS - clock.monotonic();
      if (waitMs <= 0) flush();
      else cancel = clock.after(waitMs, flush);
    },
    flush,
    drop() {
      cancel?.();
      cancel = undefined;
      waiting = "";
    },
  };
}
