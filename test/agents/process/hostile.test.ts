import { expect, test } from "vitest";
import { hostileRuns } from "./hostile-runs.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

test(`[A50] 20 hostile runs leave no process, and each turn ends once (seed ${seed})`, async () => {
  expect(await hostileRuns(20, seed)).toEqual({ runs: 20, faults: [] });
});
