/** The time limits of one turn: silence (a warning first), and the whole. Waiting for the user's answer is no silence. */
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

  /** A sign of life. Costs a look at the clock: the timer is set anew when it fires, or when silence was warned of. */
  alive(): void {
    this.#lastSignMs = this.#options.clock.monotonic();
    if (!this.#hasWarned) return;
    this.#hasWarned = false;
    this.#cancelSilence();
    this.#watch();
  }

  /** The program waits for an answer of ours from now on, and says nothing with good reason. */
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
    // At least a little: a clock that runs a hair behind its timers must not become a busy loop.
    const waitMs = this.#waits > 0 ? dueMs : dueMs - silentMs;
    this.#cancelSilence = clock.after(Math.max(waitMs, 5), () => this.#watch());
  }
}
