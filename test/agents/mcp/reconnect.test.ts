/** How often a tool server that cannot be had is tried again. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { McpConnection } from "../../../src/agents/mcp/connection.ts";
import { createProcessRecords } from "../../../src/agents/process/process-records.ts";
import { chooseProcessTable } from "../../../src/agents/process/process-table.ts";
import { createHandClock } from "../hand-clock.ts";
import { makeDataDir, removeDataDir, survivors } from "../process/seat-fake.ts";

test("[A360] a server that fails is tried again three times in a minute and not more, and not after the member left", async () => {
  const dataDir = makeDataDir();
  onTestFinished(() => removeDataDir(dataDir));
  const hand = createHandClock();
  const script = `require("node:fs").appendFileSync("starts", "x"); process.exit(1)`;
  const connection = new McpConnection({
    name: "broken",
    server: { command: [process.execPath, "-e", script] },
    member: "local",
    cwd: dataDir,
    records: createProcessRecords({ dataDir, table: chooseProcessTable() }),
    env: { PATH: process.env["PATH"] },
    clock: hand,
  });
  const starts = (): number => readFileSync(path.join(dataDir, "starts"), "utf8").length;
  const settled = (count: number) =>
    vi.waitFor(() => expect([starts(), hand.waiting()]).toEqual([count, 1]), { timeout: 30_000, interval: 10 });
  await connection.connect();
  expect(connection.state).toMatchObject({ is: "failed" });
  for (const [pauseMs, count] of [
    [0, 2],
    [1_000, 3],
    [2_000, 4],
  ] as const) {
    hand.advance(pauseMs);
    await settled(count);
  }
  hand.advance(50_000);
  expect([starts(), hand.waiting()]).toEqual([4, 1]);
  hand.advance(10_000);
  await settled(5);
  await connection.close();
  expect(hand.waiting()).toBe(0);
  expect(await survivors(dataDir)).toEqual([]);
});
