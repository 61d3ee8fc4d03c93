/**
 * A limit of time that only counts while this process runs: where the machine or a long piece of work held it up, what
 * it waited for was held up too.
 */
import type { Clock } from "./clock.ts";

/** However late a step comes, it counts as one. */
const STEPS = 10;

/** Calls back once after `ms` in which the event loop was free; the returned function cancels. */
export function afterRunning(clock: Clock, ms: number, callback: () => void): () => void {
  let left = STEPS;
  let cancel = (): void => {};
  const wait = (): void => {
    cancel = clock.after(ms / STEPS, () => {
      left -= 1;
      if (left === 0) callback();
      else wait();
    });
  };
  wait();
  return () => cancel();
}
