/** Schedules frames: soon after a change, at once for awaited content, periodically for the spinner. */
import type { Clock } from "../../../kit/clock.ts";
import { isRunning, type Transcript, type TurnMessage } from "../../../transcript/index.ts";
import { FRAME_MS as SPINNER_MS } from "../../theme/glyphs.ts";

/** Between frames while nobody looks at the window, and while nothing but the time changes. */
const SLOW_MS = 1_000;

/** Slightly below the 33 ms in which a member's text grows, so that each chunk gets a frame. */
export const FRAME_MS = 30;

export interface ScreenFramesOptions {
  readonly clock: Clock;
  /** The newest transcript. */
  readonly transcript: () => Transcript | undefined;
  /** Called in frames whose transcript differs from the last one. */
  readonly onPicture: (transcript: Transcript | undefined) => void;
  readonly requestRender: () => void;
  /** Skips the throttle of the terminal library. */
  readonly renderNow: () => void;
  /** The window does not have the focus. */
  readonly isAway?: () => boolean;
  /** Spinners stand still. */
  readonly isStill?: () => boolean;
}

export class ScreenFrames {
  readonly #options: ScreenFramesOptions;
  readonly #throttle: FrameThrottle;
  #shown: Transcript | undefined;
  #drawnAt = 0;
  #cancelSpinner: (() => void) | undefined;

  constructor(options: ScreenFramesOptions) {
    this.#options = options;
    this.#throttle = createFrameThrottle(
      options.clock,
      () => this.#draw(),
      () => (this.#isAway ? SLOW_MS : FRAME_MS),
    );
  }

  /** The first transcript and the first text of a turn are drawn at once. */
  change(): void {
    const picture = this.#options.transcript();
    const isWaitedFor = picture !== undefined && (this.#shown === undefined || hasBegun(picture, this.#shown));
    if (!isWaitedFor || this.#isAway) return this.#throttle.change();
    this.#throttle.changeNow();
    this.#options.renderNow();
  }

  /** The window has the focus again: what was held back is drawn at once. */
  wake(): void {
    this.#throttle.changeNow();
  }

  get #isAway(): boolean {
    return this.#options.isAway?.() === true;
  }

  get #spinnerMs(): number {
    return this.#isAway || this.#options.isStill?.() === true ? SLOW_MS : SPINNER_MS;
  }

  stop(): void {
    this.#throttle.stop();
    this.#cancelSpinner?.();
  }

  #draw(): void {
    const { transcript, onPicture, requestRender } = this.#options;
    const picture = transcript();
    if (picture !== this.#shown) {
      this.#shown = picture;
      onPicture(picture);
    }
    this.#spin(picture);
    requestRender();
  }

  /** Other frames turn the spinner too; it gets its own only after a pause. */
  #spin(picture: Transcript | undefined): void {
    this.#drawnAt = this.#options.clock.monotonic();
    if (picture === undefined || !isRunning(picture.head) || this.#cancelSpinner !== undefined) return;
    this.#spinAfter(this.#spinnerMs);
  }

  #spinAfter(waitMs: number): void {
    this.#cancelSpinner = this.#options.clock.after(waitMs, () => {
      this.#cancelSpinner = undefined;
      const leftMs = this.#drawnAt + this.#spinnerMs - this.#options.clock.monotonic();
      if (leftMs > 0) this.#spinAfter(leftMs);
      else this.#throttle.change();
    });
  }
}

/** True when a turn without visible content got some, or ended. */
function hasBegun({ head: { openTurns: now } }: Transcript, { head: { openTurns: before } }: Transcript): boolean {
  const isSilent = (turn: TurnMessage | undefined) => turn === undefined || turn.blocks.length === 0;
  const speaks = Object.keys(now).some((turnId) => !isSilent(now[turnId]) && isSilent(before[turnId]));
  return speaks || Object.keys(before).some((turnId) => isSilent(before[turnId]) && now[turnId] === undefined);
}

/**
 * Coalesces changes into frames: the first is drawn at once, later ones after the interval. Drawing per token costs
 * four times the CPU; key presses do not pass through here.
 */
interface FrameThrottle {
  change(): void;
  /** Draws awaited content at once. */
  changeNow(): void;
  stop(): void;
}

export function createFrameThrottle(
  clock: Clock,
  draw: () => void,
  intervalMs: () => number = () => FRAME_MS,
): FrameThrottle {
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
