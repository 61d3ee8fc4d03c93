/** Lets a few begin at a time; the others wait in order. A machine with thousands of sessions reads few of them at once. */
export class Turns {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(max: number) {
    this.#free = max;
  }

  /** Calls back at once or later; the returned function ends the turn, or gives up waiting for it. */
  enter(begin: () => void): () => void {
    if (this.#free > 0) {
      this.#free -= 1;
      begin();
      return once(() => this.#pass());
    }
    let end = (): void => void this.#waiting.delete(mine);
    const mine = (): void => {
      end = () => this.#pass();
      begin();
    };
    this.#waiting.add(mine);
    return once(() => end());
  }

  #pass(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
