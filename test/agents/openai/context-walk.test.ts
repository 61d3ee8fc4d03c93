import { test } from "vitest";
import { walkContext } from "./context-walk.ts";

const SEEDS = process.env["SEED"] === undefined ? [1, 2] : [Number(process.env["SEED"])];

test.each(SEEDS)("in a random life every request is valid, and the same after a restart (seed %i)", async (seed) => {
  await walkContext(seed, 40);
});
