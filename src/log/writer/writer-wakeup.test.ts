import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openFileLog } from "./open-log.ts";

const dataDir = mkdtempSync(join(tmpdir(), "roundtable-wakeup-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await Promise.resolve();
}

test("an append made at any moment while the writer goes idle is committed without a further append", async () => {
  const log = await openFileLog({ dataDir, sessionId: "01JN0000000000000000000001" });
  const pin = { type: "message_pinned", messageId: "m", pinned: true } as const;
  for (let delay = 0; delay < 40; delay++) {
    await log.append([pin]).committed;
    await ticks(delay);
    await log.append([pin]).committed;
  }
  expect(log.committedSeq).toBe(80);
  await log.close();
});

test("stream events are announced once written, also when a sync event was appended with them", async () => {
  const log = await openFileLog({ dataDir, sessionId: "01JN0000000000000000000002" });
  const batches: number[][] = [];
  log.follow(0, (events) => void batches.push(events.map(({ seq }) => seq)));
  const delta = { type: "text_delta", turnId: "t", member: "ann", segmentId: "s", text: "Yes." } as const;
  const pin = { type: "message_pinned", messageId: "m", pinned: true } as const;
  await log.append([delta, delta, pin, delta, pin]).committed;
  await log.append([pin, delta]).committed;
  expect(batches).toEqual([
    [1, 2],
    [3, 4, 5],
    [6, 7],
  ]);
  await log.close();
});
