/** Stall detection of a stream. Each sign of life costs one clock read; the timer is rescheduled only when it fires. */
import type { Clock } from "../../../kit/clock.ts";

export interface StallWatch {
  /** Aborted after too much silence. */
  readonly signal: AbortSignal;
  /** Length of the silence at the abort; undefined without one. */
  readonly stalledMs: number | undefined;
  alive(limitMs: number): void;
  over(): void;
}

export function createStallWatch(options: {
  clock: Clock;
  limitMs: number;
  quietMs: number;
  onQuiet: () => void;
}): StallWatch {
  const { clock, quietMs, onQuiet } = options;
  const controller = new AbortController();
  let limitMs = options.limitMs;
  let lastMs = clock.monotonic();
  let stalledMs: number | undefined;
  let isQuiet = false;
  let cancel = (): void => undefined;
  const check = (): void => {
    const silentMs = clock.monotonic() - lastMs;
    if (silentMs >= limitMs) {
      stalledMs = silentMs;
      controller.abort(new Error("stalled"));
      return;
    }
    if (silentMs >= quietMs && !isQuiet) {
      isQuiet = true;
      onQuiet();
    }
    const nextMs = isQuiet ? limitMs : Math.min(quietMs, limitMs);
    // A minimum delay: a clock slightly behind its timers must not cause a busy loop.
    cancel = clock.after(Math.max(nextMs - silentMs, 5), check);
  };
  check();
  return {
    signal: controller.signal,
    get stalledMs() {
      return stalledMs;
    },
    alive(nextLimitMs) {
      lastMs = clock.monotonic();
      isQuiet = false;
      if (nextLimitMs >= limitMs) return;
      limitMs = nextLimitMs;
      cancel();
      check();
    },
    over: () => cancel(),
  };
}
