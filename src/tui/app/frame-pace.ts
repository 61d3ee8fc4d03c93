/**
 * Joins changes into frames: the first one is drawn at once, later ones wait until the interval is over. Drawing per
 * token would cost four times the processor; keys do not pass through here.
 */
import type { Clock } from "../../kit/clock.ts";

export const FRAME_MS = 33;
/** Over a slow link fewer frames leave room for the echo of keys. */
export const SLOW_FRAME_MS = 100;

export interface FramePace {
  /** Something changed. */
  change(): void;
  /** Something is there that was waited for: it is drawn at once. */
  changeNow(): void;
  stop(): void;
}

export function createFramePace(clock: Clock, intervalMs: () => number, draw: () => void): FramePace {
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
      const waitMs = drawnAt + intervalMs() - clock.monotonic();
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

/**
 * A remote shell is taken to be slow: a frame that is late there is later than every key after it. Each further member
 * that speaks makes a frame dearer, and nobody reads three texts at thirty frames a second.
 */
export function frameMs(env: Readonly<Record<string, string | undefined>>, speaking: number): number {
  const isRemote = env["SSH_CONNECTION"] !== undefined || env["SSH_TTY"] !== undefined;
  return isRemote ? SLOW_FRAME_MS : FRAME_MS * Math.min(2.5, Math.max(1, 1 + 0.75 * (speaking - 1)));
}
