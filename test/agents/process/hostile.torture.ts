import { expect, test } from "vitest";
import { hostileRuns } from "./hostile-runs.ts";
import { floodBeside } from "./flood-beside.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

test(`[A50] 500 hostile runs leave no process, and each turn ends once (seed ${seed})`, async () => {
  await hostileRuns(20, seed + 1);
  const before = memoryBytes();
  expect(await hostileRuns(500, seed)).toEqual({ runs: 500, faults: [] });
  expect(memoryBytes() - before).toBeLessThan(64 * 1024 * 1024);
});

test("truncates a flood of 1 GB with a warning, while another member finishes", async () => {
  const report = await floodBeside(1024);
  expect(report).toMatchObject({ outcome: "completed", truncations: 1, neighbour: "completed" });
  expect(report.memoryGrowthBytes).toBeLessThan(192 * 1024 * 1024);
  expect(report.loopHeldP99Ms).toBeLessThan(100);
});

function memoryBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
