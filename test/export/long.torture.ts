/** A session of 100,000 messages leaves in every format with little of it in memory at a time. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { exportSession } from "../../src/host/index.ts";
import { exporterOf } from "../edge-parts.ts";
import { openAdoptedLog } from "../../src/log/index.ts";
import type { EventDraft, SessionEvent } from "../../src/protocol/index.ts";
import { created, ended, joined, said, started } from "../generate/drafts.ts";
import { SESSION_ID } from "../generate/on-disk.ts";
import { START_TS } from "../generate/stamped.ts";

const MESSAGES = 100_000;
const HEAP_BYTES_MAX = 160 * 1024 * 1024;
const WORDS = "The lock is taken twice when two programs start at the same moment, see `takeLock`. ".repeat(4);

async function writeLong(dataDir: string): Promise<void> {
  const log = await openAdoptedLog({ dataDir, sessionId: SESSION_ID });
  let seq = 0;
  const write = (drafts: readonly EventDraft[]) =>
    log.write(
      drafts.map((draft): SessionEvent => {
        seq += 1;
        return Object.assign({ seq, epoch: 1, id: `e${seq}`, ts: START_TS + seq, sessionId: SESSION_ID }, draft);
      }),
    );
  write([created(), joined("claude")]);
  for (let at = 0; at < MESSAGES / 2; at += 1) {
    const turn = { turnId: `t${at}`, member: "claude" };
    write([
      said(`m${at}`, ["claude"]),
      started(turn.turnId, "claude", { messageIds: [`m${at}`] }),
      { type: "message_delivery", messageId: `m${at}`, member: "claude", state: "answering" },
      { type: "tool_call_start", ...turn, toolCallId: `c${at}`, name: "read", args: { path: "a.ts" } },
      { type: "tool_result", ...turn, toolCallId: `c${at}`, ok: true, result: WORDS },
      { type: "text_done", ...turn, segmentId: `s${at}`, text: WORDS },
      ended(turn.turnId, "claude"),
      { type: "message_delivery", messageId: `m${at}`, member: "claude", state: "answered" },
    ]);
  }
  await log.close();
}

test("100,000 messages are exported with a bounded heap in every format", async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), "rt-long-"));
  try {
    await writeLong(dataDir);
    const logBytes = statSync(path.join(dataDir, "logs", `${SESSION_ID}.jsonl`)).size;
    for (const format of ["markdown", "html", "jsonl"] as const) {
      const made = await exportSession({ dataDir, sessionId: SESSION_ID, exporter: exporterOf(format) });
      let [bytes, highest, pieces] = [0, 0, 0];
      for await (const piece of made.chunks) {
        bytes += piece.length;
        pieces += 1;
        if (pieces % 50 === 0) highest = Math.max(highest, process.memoryUsage().heapUsed);
      }
      expect(bytes).toBeGreaterThan(logBytes / 4);
      expect(highest).toBeLessThan(HEAP_BYTES_MAX);
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
