import { test } from "vitest";
import { walkLog } from "../../../test/tui/log-walk.ts";

/** 100,000 steps in all, half of them with real panels in every view. */
const seeds = Array.from({ length: 250 }, (_, at) => at + 1);

test.each(seeds)("a long random walk shows what a fresh view shows (seed %i)", async (seed) => {
  await walkLog(seed, { steps: 400, panels: seed % 2 === 0 ? "real" : "plain" });
});

test.each(seeds)("a random walk from the first message on shows what a fresh view shows (seed %i)", async (seed) => {
  await walkLog(seed, { steps: 100, panels: "real", begun: seed % 9 });
});
