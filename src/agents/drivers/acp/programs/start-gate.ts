/**
 * For programs that, started several at once for the first time ever in a home, stumble over each other's preparations.
 * Promise: until one of them was ready they start one after the other, nobody waits longer than START_ALONE_MS for the
 * one before, and from then on nobody waits at all.
 */
import type { Clock } from "../../../../kit/clock.ts";
import { within } from "../../../process/wait.ts";

export const START_ALONE_MS = 15_000;

export interface StartGate {
  /** `ready` tells of what was started when it takes turns: true; or when it has gone before: false. */
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
