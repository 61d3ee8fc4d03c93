/**
 * What Escape, Ctrl+C and leaving mean, given what is going on. Escape never quits; Ctrl+C first saves the draft, then
 * interrupts, and quits only when pressed again.
 */
import type { Clock } from "../../kit/clock.ts";

/** A second Ctrl+C counts within this time. */
const AGAIN_MS = 2_000;

export interface StoppingFacts {
  readonly hasDraft: boolean;
  readonly isRunning: boolean;
}

export type CtrlC = "put-away-draft" | "interrupt" | "warn" | "quit";

export class Stopping {
  readonly #clock: Clock;
  #warnedAt = -Infinity;
  #interrupted = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Call it when nothing runs any longer: the next turn can be interrupted anew. */
  settled(): void {
    this.#interrupted = false;
  }

  ctrlC({ hasDraft, isRunning }: StoppingFacts): CtrlC {
    if (hasDraft) return "put-away-draft";
    const isAgain = this.#clock.monotonic() - this.#warnedAt < AGAIN_MS;
    if (isRunning && !this.#interrupted) {
      this.#interrupted = true;
      this.#warnedAt = this.#clock.monotonic();
      return "interrupt";
    }
    if (isAgain) return "quit";
    this.#warnedAt = this.#clock.monotonic();
    return "warn";
  }
}
