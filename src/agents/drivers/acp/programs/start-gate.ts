/**
 * Serializes the first starts of programs that fail when several of them initialize the same home directory at once.
 * Guarantee: they start one after the other until one of them was ready, each waits at most START_ALONE_MS for the one
 * before, and afterwards none waits.
 */
import type { Clock } from "../../../../kit/clock.ts";
import { within } from "../../../process/wait.ts";

export const START_ALONE_MS = 15_000;

export interface StartGate {
  /** `ready` resolves with true when the started program accepts turns, with false when it exited before. */
  pass<Started>(
    clock: Clock,
    start: () => Promise<Started>,
    ready: (started: Started) => Promise<boolean>,
  ): Promise<Started>;
}

export function createStartGate(): StartGate {
  let isOpen = false;
  let before: Promise<unknown> = Promise.resolve();

  return {
    async pass(clock, start, ready) {
      if (isOpen) return start();
      const previous = before;
      const settled = Promise.withResolvers<void>();
      before = settled.promise;
      await previous;
      if (isOpen) settled.resolve();
      const started = await start().catch((error: unknown) => {
        settled.resolve();
        throw error;
      });
      const opened = ready(started).then((isReady) => {
        isOpen ||= isReady;
      });
      void within(clock, START_ALONE_MS, opened).then(() => settled.resolve());
      return started;
    },
  };
}
