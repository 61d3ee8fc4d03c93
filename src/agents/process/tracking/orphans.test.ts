import { expect, test } from "vitest";
import { scratchTree } from "../../../../test/agents/scratch-tree.ts";
import type { ProcessList } from "../list/process-list.ts";
import { createPsList, chooseProcessList } from "../list/choose-process-list.ts";
import { killOrphans, findOrphans } from "./orphans.ts";

test("without readable markers or records no processes are inspected", async () => {
  const rows = (): never => {
    throw new Error("the processes were looked at");
  };
  const table: ProcessList = { ...chooseProcessList(), rows, hidesMarkers: true };
  const dataDir = await scratchTree();
  expect(await findOrphans(dataDir, table)).toEqual([]);
  expect(await killOrphans(dataDir, table)).toEqual({ ended: [], left: [] });
  await expect(findOrphans(dataDir, { ...table, hidesMarkers: false })).rejects.toThrow("were looked at");
});

test.skipIf(process.platform === "win32").each([
  ["the system's own table", chooseProcessList()],
  ["ps", createPsList()],
] as const)("%s tells since when a process runs", async (_name, table) => {
  const own = (await table.rows()).find((row) => row.pid === process.pid);
  const sinceTs = table.timeOf(own?.start ?? 0);
  // Boot time and process start may both be rounded to seconds.
  expect(Math.abs(sinceTs - performance.timeOrigin)).toBeLessThan(3_000);
});
