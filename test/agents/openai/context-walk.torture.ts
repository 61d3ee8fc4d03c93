/** The same as the test, many more lives. */
import { test } from "vitest";
import { walkContext } from "./context-walk.ts";

const SEEDS = Array.from({ length: 100 }, (_, at) => at + 1_000);

test.each(SEEDS)("in a long random life every request is the same after a restart (seed %i)", async (seed) => {
  await walkContext(seed, 80);
});
