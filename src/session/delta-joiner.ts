/**
 * Joins small pieces of a stream: the first goes on at once, later ones once a beat, together with whatever else comes in
 * the same step of the program.
 * `flush` gives what is waiting; nothing comes after `drop`.
 */
import { beatOf } from "../kit/beat.ts";
import type { Clock } from "../kit/clock.ts";

export interface DeltaJoiner {
  add(text: string): void;
  flush(): void;
  drop(): void;
}

export function createDeltaJoiner(clock: Clock, emit: (text: string) => void): DeltaJoiner {
  const beat = beatOf(clock);
  let lastBeat: number | undefined;
  let waiting = "";
  let cancel: (() => void) | undefined;

  function flush(): void {
    cancel?.();
    cancel = undefined;
    const text = waiting;
    waiting = "";
    if (text === "") return;
    lastBeat = beat.count;
    emit(text);
  }

  /** An agent's output is read in lots: what came in one lot becomes one event. */
  function flushAfterThisStep(): () => void {
    let isCancelled = false;
    queueMicrotask(() => {
      if (!isCancelled) flush();
    });
    return () => (isCancelled = true);
  }

  return {
    add(text) {
      if (text === "") return;
      waiting += text;
      if (cancel !== undefined) return;
      if (lastBeat === undefined) flush();
      else cancel = lastBeat === beat.count ? beat.gather(flush) : flushAfterThisStep();
    },
    flush,
    drop() {
      cancel?.();
      cancel = undefined;
      waiting = "";
    },
  };
}
