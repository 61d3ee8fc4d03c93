import { test } from "vitest";
import { walkLog } from "../../../test/tui/log-walk.ts";

const seeds = Array.from({ length: 200 }, (_, at) => at + 1);

test.each(seeds)("a long random walk shows what a fresh view shows (seed %i)", async (seed) => {
  await walkLog(seed, { steps: 150, panels: seed % 4 === 0 ? "real" : "plain" });
});
