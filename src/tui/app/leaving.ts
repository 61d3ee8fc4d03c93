/** The way out: at once, or when every member has stopped; asked again while it waits, it goes at once. */
import type { Clock } from "../../kit/clock.ts";

const LOOK_MS = 100;

export interface LeavingOptions {
  readonly clock: Clock;
  readonly isRunning: () => boolean;
  readonly stopAll: () => Promise<void>;
  readonly say: (text: string) => void;
  readonly leave: () => void;
}

export class Leaving {
  readonly #options: LeavingOptions;
  #isWaiting = false;

  constructor(options: LeavingOptions) {
    this.#options = options;
  }

  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  ask(how: "detach" | "stop"): void {
    const { isRunning, stopAll, say, leave } = this.#options;
    if (how === "detach" || this.#isWaiting || !isRunning()) return leave();
    this.#isWaiting = true;
    say("Stopping every member; Escape leaves without waiting.");
    void stopAll().then(() => this.#leaveWhenQuiet());
  }

  #leaveWhenQuiet(): void {
    const { clock, isRunning, leave } = this.#options;
    if (!isRunning()) return leave();
    clock.after(LOOK_MS, () => this.#leaveWhenQuiet());
  }
}
