/**
 * What Escape, Ctrl+C and leaving mean, given what is going on. Escape never quits, and twice in a row with nothing to
 * stop it goes back; Ctrl+C first saves the draft, then interrupts, and quits only when pressed again.
 */
import type { Clock } from "../../../kit/clock.ts";

/** A second Ctrl+C or Escape counts within this time. */
const AGAIN_MS = 2_000;

export interface StoppingFacts {
  readonly hasDraft: boolean;
  /** The ids of the turns that run. */
  readonly turns: readonly string[];
}

export type IdleEscape = "nothing" | "hint" | "rewind";
export type CtrlC = "put-away-draft" | "interrupt" | "warn" | "quit";

export class Stopping {
  readonly #clock: Clock;
  #warnedAt = -Infinity;
  #hintedAt = -Infinity;
  #usedAt = -Infinity;
  /** They were asked to stop; a turn that is not among them is of another run. */
  #interrupted: ReadonlySet<string> = new Set();

  /** The user has read that they were started elsewhere. */
  #named: ReadonlySet<string> = new Set();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Escape has closed or stopped something; whoever presses it on and on wants that, and nothing else. */
  escapeUsed(): void {
    this.#usedAt = this.#clock.monotonic();
    this.#hintedAt = -Infinity;
  }

  /** Escape while these turns run: once those of others are named, it is for them too. */
  escapeScope(turns: readonly string[]): "own" | "all" {
    return turns.some((turnId) => this.#named.has(turnId)) ? "all" : "own";
  }

  /** These run on, and the line says who started them. */
  named(turns: readonly string[]): void {
    this.#named = new Set(turns);
  }

  /** The box is empty, and there was nothing to close or to stop. */
  idleEscape(): IdleEscape {
    const now = this.#clock.monotonic();
    if (now - this.#usedAt < AGAIN_MS) return "nothing";
    const isAgain = now - this.#hintedAt < AGAIN_MS;
    this.#hintedAt = isAgain ? -Infinity : now;
    return isAgain ? "rewind" : "hint";
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
