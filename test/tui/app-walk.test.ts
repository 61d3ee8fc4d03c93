import { test } from "vitest";
import { walkApp } from "./app-walk.ts";

test.each([1, 2])(
  "random keys, resizes, events, views and requests: the screen keeps its invariants (seed %i)",
  async (seed) => {
    await walkApp({ seed: seed * 10_000, steps: 300 });
  },
);
