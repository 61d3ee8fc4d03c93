/**
 * Time limits of one turn: silence (with a warning first) and total. Time spent waiting for the user does not count as
 * silence.
 */
import type { Clock } from "../../../kit/clock.ts";
import type { ProcessLimits } from "../limits.ts";

export interface TurnTimeoutOptions {
  readonly clock: Clock;
  readonly limits: Pick<ProcessLimits, "silenceWarnMs" | "silenceMs" | "totalMs">;
  readonly onQuiet: (silentMs: number) => void;
  readonly onSilent: (silentMs: number) => void;
  readonly onTooLong: (totalMs: number) => void;
}

export class TurnTimeouts {
  readonly #options: TurnTimeoutOptions;
  readonly #cancelTotal: () => void;
  #cancelSilence: () => void = () => {};
  #lastSignMs: number;
  #hasWarned = false;
  #waits = 0;
  #isOver = false;

  constructor(options: TurnTimeoutOptions) {
    this.#options = options;
    this.#lastSignMs = options.clock.monotonic();
    this.#cancelTotal = options.clock.after(options.limits.totalMs, () => options.onTooLong(options.limits.totalMs));
    this.#watch();
  }

  /** Reports output. Cheap: reads the clock, and resets the timer only when it fires or after a warning. */
  alive(): void {
    this.#lastSignMs = this.#options.clock.monotonic();
    if (!this.#hasWarned) return;
    this.#hasWarned = false;
    this.#cancelSilence();
    this.#watch();
  }

  /** The program waits for our answer from now on, so its silence is fine. */
  hold(): void {
    this.#waits += 1;
  }

  release(): void {
    this.#waits = Math.max(0, this.#waits - 1);
    this.alive();
  }

  stop(): void {
    this.#isOver = true;
    this.#cancelTotal();
    this.#cancelSilence();
  }

  #watch(): void {
    if (this.#isOver) return;
    const { clock, limits } = this.#options;
    const silentMs = clock.monotonic() - this.#lastSignMs;
    const dueMs = this.#hasWarned ? limits.silenceMs : limits.silenceWarnMs;
    if (this.#waits === 0 && silentMs >= dueMs) {
      if (this.#hasWarned || limits.silenceMs <= limits.silenceWarnMs) return this.#options.onSilent(silentMs);
      this.#hasWarned = true;
      this.#options.onQuiet(silentMs);
      return this.#watch();
    }
    // At least a few milliseconds: a clock slightly behind its timers must not become a busy loop.
    const waitMs = this.#waits > 0 ? dueMs : dueMs - silentMs;
    this.#cancelSilence = clock.after(Math.max(waitMs, 5), () => this.#watch());
  }
}
