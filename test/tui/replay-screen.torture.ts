/** The law of the replay on many more sessions, at many more of their events. */
import { test } from "vitest";
import { expectReplayLikeLive } from "./replay-law.ts";

const SEEDS = Array.from({ length: 60 }, (_, at) => at + 100);

test.each(SEEDS)("the replay equals the live screen (seed %i)", async (seed) => {
  await expectReplayLikeLive({ seed, steps: 10 + (seed % 50), positions: 12 });
});
