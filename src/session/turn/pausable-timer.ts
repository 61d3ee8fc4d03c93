/** Timeout that can be paused; it continues when the last pause is released. */
import type { Clock } from "../../kit/clock.ts";

export interface PausableTimer {
  /** Pauses until the returned function is called; calling it again has no effect. */
  readonly pause: () => () => void;
  readonly cancel: () => void;
}

export function startTimer(clock: Clock, limitMs: number, onTime: () => void): PausableTimer {
  let leftMs = limitMs;
  let sinceMs = clock.monotonic();
  let pauses = 0;
  let isOver = false;
  let stop = clock.after(leftMs, ring);

  function ring(): void {
    isOver = true;
    onTime();
  }

  function resume(): void {
    pauses -= 1;
    if (pauses > 0 || isOver) return;
    sinceMs = clock.monotonic();
    stop = clock.after(leftMs, ring);
  }

  return {
    pause() {
      if (pauses === 0 && !isOver) {
        stop();
        leftMs = Math.max(0, leftMs - (clock.monotonic() - sinceMs));
      }
      pauses += 1;
      let isPaused = true;
      return () => {
        if (isPaused) resume();
        isPaused = false;
      };
    },
    cancel() {
      isOver = true;
      stop();
    },
  };
}
