/**
 * Joins small pieces of a stream: the first piece goes on at once, later ones are gathered for up to JOIN_MS.
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
  let hasFirst = false;
  let waiting = "";
  let cancel: (() => void) | undefined;

  function flush(): void {
    cancel?.();
    cancel = undefined;
    const text = waiting;
    waiting = "";
    if (text !== "") emit(text);
  }

  return {
    add(text) {
      if (text === "") return;
      if (!hasFirst) {
        hasFirst = true;
        emit(text);
        return;
      }
      waiting += text;
      cancel ??= clock.after(JOIN_MS, flush);
    },
    flush,
    drop() {
      cancel?.();
      cancel = undefined;
      waiting = "";
    },
  };
}
