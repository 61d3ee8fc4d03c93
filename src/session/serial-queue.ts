/** Runs jobs one after another. A job that needs no waiting, on a free lane, is done before `run` returns. */
export interface SerialQueue {
  run<T>(job: () => T | Promise<T>): T | Promise<T>;
  readonly isBusy: boolean;
}

export function createSerialQueue(): SerialQueue {
  let waiting = 0;
  let tail: Promise<unknown> = Promise.resolve();
  return {
    get isBusy() {
      return waiting > 0;
    },
    run<T>(job: () => T | Promise<T>): T | Promise<T> {
      const done = waiting === 0 ? job() : tail.then(job);
      if (!(done instanceof Promise)) return done;
      waiting += 1;
      const over = (): void => {
        waiting -= 1;
      };
      tail = done.then(over, over);
      return done;
    },
  };
}
