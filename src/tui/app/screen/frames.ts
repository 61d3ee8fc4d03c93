/**
 * When the screen is drawn: soon after a change, at once when something was waited for, and again and again while
 * somebody works, for the spinner.
 */
import type { Clock } from "../../../kit/clock.ts";
import { isRunning, type Transcript, type TurnMessage } from "../../../transcript/index.ts";
import { SPINNER_MS } from "../chrome/chrome-rows.ts";

/** A little less than the 33 ms after which a member's text grows: each time it does there is a frame for it. */
export const FRAME_MS = 30;

export interface ScreenFramesOptions {
  readonly clock: Clock;
  /** The newest picture. */
  readonly transcript: () => Transcript | undefined;
  /** Called in a frame whose picture is another than that of the frame before. */
  readonly onPicture: (transcript: Transcript | undefined) => void;
  readonly requestRender: () => void;
  /** The same without the pause that the terminal's library keeps between two pictures. */
  readonly renderNow: () => void;
}

export class ScreenFrames {
  readonly #options: ScreenFramesOptions;
  readonly #throttle: FrameThrottle;
  #shown: Transcript | undefined;
  #drawnAt = 0;
  #cancelSpinner: (() => void) | undefined;

  constructor(options: ScreenFramesOptions) {
    this.#options = options;
    this.#throttle = createFrameThrottle(options.clock, () => this.#draw());
  }

  /** Something has changed; the first picture of all and the first words of a turn are drawn at once. */
  change(): void {
    const picture = this.#options.transcript();
    const isWaitedFor = picture !== undefined && (this.#shown === undefined || hasBegun(picture, this.#shown));
    if (!isWaitedFor) return this.#throttle.change();
    this.#throttle.changeNow();
    this.#options.renderNow();
  }

  stop(): void {
    this.#throttle.stop();
    this.#cancelSpinner?.();
  }

  /** One frame: everything that follows from the newest picture. */
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

  /** Frames that are drawn anyway turn the spinner too: one for it alone comes when there was none for a while. */
  #spin(picture: Transcript | undefined): void {
    this.#drawnAt = this.#options.clock.monotonic();
    if (picture === undefined || !isRunning(picture.head) || this.#cancelSpinner !== undefined) return;
    this.#spinAfter(SPINNER_MS);
  }

  #spinAfter(waitMs: number): void {
    this.#cancelSpinner = this.#options.clock.after(waitMs, () => {
      this.#cancelSpinner = undefined;
      const leftMs = this.#drawnAt + SPINNER_MS - this.#options.clock.monotonic();
      if (leftMs > 0) this.#spinAfter(leftMs);
      else this.#throttle.change();
    });
  }
}

/** A turn of which nothing was shown yet has something to show, or has ended without. */
function hasBegun({ head: { openTurns: now } }: Transcript, { head: { openTurns: before } }: Transcript): boolean {
  const isSilent = (turn: TurnMessage | undefined) => turn === undefined || turn.blocks.length === 0;
  const speaks = Object.keys(now).some((turnId) => !isSilent(now[turnId]) && isSilent(before[turnId]));
  return speaks || Object.keys(before).some((turnId) => isSilent(before[turnId]) && now[turnId] === undefined);
}

/**
 * Joins changes into frames: the first one is drawn at once, later ones wait until the interval is over. Drawing per
 * token would cost four times the processor; keys do not pass through here.
 */
interface FrameThrottle {
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
