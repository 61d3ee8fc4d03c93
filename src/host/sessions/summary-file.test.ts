import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { createFakeClock } from "../../../test/session/fake-clock.ts";
import { newId } from "../../kit/ids.ts";
import { sessionPaths } from "../../log/index.ts";
import type { SessionSummary } from "../../protocol/index.ts";
import { createSummaryWriter } from "./summary-file.ts";

test("the summary file is updated within a second; for growth alone after a pause, or every ten seconds", async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), "rt-summary-"));
  const sessionId = newId();
  const { log, meta } = sessionPaths(dataDir, sessionId);
  for (const file of [log, meta]) mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(log, "");
  const clock = createFakeClock();
  let summary: SessionSummary = {
    sessionId,
    title: "a",
    cwd: "/",
    members: ["ada"],
    messages: 1,
    turns: 1,
    createdTs: 1,
    updatedTs: 1,
    archived: false,
    status: "running",
    seq: 1,
  };
  const writer = createSummaryWriter({ dataDir, sessionId, summarize: () => summary, clock });
  const change = (news: Partial<SessionSummary> = {}) => {
    summary = { ...summary, seq: summary.seq + 1, updatedTs: summary.updatedTs + 1, ...news };
    writer.touch();
  };
  /** A second with a chunk every 100 ms. */
  const grow = async () => {
    for (let tenth = 0; tenth < 10; tenth += 1) {
      change();
      await clock.advance(100);
    }
  };
  const written = (): SessionSummary => (JSON.parse(readFileSync(meta, "utf8")) as { summary: SessionSummary }).summary;
  const isWritten = () => expect.poll(written).toEqual(summary);

  change();
  await clock.advance(1000);
  await isWritten();
  const first = written().seq;
  for (let second = 0; second < 9; second += 1) await grow();
  expect(written().seq).toBe(first);
  await grow();
  await grow();
  await expect.poll(() => written().seq).toBeGreaterThan(first);

  change({ waiting: 1 });
  await grow();
  await expect.poll(() => written().waiting).toBe(1);

  await grow();
  await clock.advance(2000);
  await isWritten();

  change();
  await writer.close();
  expect(written()).toEqual(summary);
});
