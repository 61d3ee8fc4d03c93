/**
 * Joins changes into frames: the first one is drawn at once, later ones wait until the interval is over. Drawing per
 * token would cost four times the processor; keys do not pass through here.
 */
import type { Clock } from "../../../kit/clock.ts";

/** A little less than the 33 ms after which a member's text grows: each time it does there is a frame for it. */
export const FRAME_MS = 30;

export interface FrameThrottle {
  /** Something changed. */
  change(): void;
  /** Something is there that was waited for: it is drawn at once. */
  changeNow(): void;
  stop(): void;
}

export function createFrameThrottle(clock: Clock, draw: () => void): FrameThrottle {
  let drawnAt = -Infinity;
  let cancel: (() => void) | undefined;
  function drawNow(): void {
    cancel = undefined;
    drawnAt = clock.monotonic();
    draw();
  }
  return {
    change() {
      if (cancel !== undefined) return;
      const waitMs = drawnAt + FRAME_MS - clock.monotonic();
      if (waitMs <= 0) drawNow();
      else cancel = clock.after(waitMs, drawNow);
    },
    changeNow() {
      cancel?.();
      drawNow();
    },
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}
