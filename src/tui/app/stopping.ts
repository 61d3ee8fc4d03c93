/**
 * What Escape, Ctrl+C and leaving mean, given what is going on. Escape never quits; Ctrl+C first saves the draft, then
 * interrupts, and quits only when pressed again.
 */
import type { Clock } from "../../kit/clock.ts";

/** A second Ctrl+C counts within this time. */
const AGAIN_MS = 2_000;

export interface StoppingFacts {
  readonly hasDraft: boolean;
  /** The ids of the turns that run. */
  readonly turns: readonly string[];
}

export type CtrlC = "put-away-draft" | "interrupt" | "warn" | "quit";

export class Stopping {
  readonly #clock: Clock;
  #warnedAt = -Infinity;
  /** They were asked to stop; a turn that is not among them is of another run. */
  #interrupted: ReadonlySet<string> = new Set();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ctrlC({ hasDraft, turns }: StoppingFacts): CtrlC {
    if (hasDraft) return "put-away-draft";
    const isAgain = this.#clock.monotonic() - this.#warnedAt < AGAIN_MS;
    if (turns.some((turnId) => !this.#interrupted.has(turnId))) {
      this.#interrupted = new Set(turns);
      this.#warnedAt = this.#clock.monotonic();
      return "interrupt";
    }
    if (isAgain) return "quit";
    this.#warnedAt = this.#clock.monotonic();
    return "warn";
  }
}
