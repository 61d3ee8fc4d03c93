import { test } from "vitest";
import { walkApp } from "./app-walk.ts";

const COUNT = 100;
const first = Number(process.env["SEED"] ?? 1_000_000);
const seeds = Array.from({ length: COUNT }, (_, at) => first + at * 10_000);

test.each(seeds)(
  "100,000 random keys, resizes, events, views and requests: the screen keeps its invariants (seed %i)",
  async (seed) => {
    await walkApp({ seed, steps: 1_000 });
  },
);
