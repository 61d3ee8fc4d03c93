/** 5,000 sync events a second for three seconds; how long from append to acknowledgement. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { percentile, report, rooms } from "./product.ts";

const PER_SECOND = 5_000;
const SECONDS = 3;

const { openFileLog } = await rooms();
const dir = mkdtempSync(path.join(tmpdir(), "roundtable-bench-"));
const log = await openFileLog({ dataDir: dir, sessionId: "01JN0000000000000000000001" });
const latencies: number[] = [];
const open: Promise<void>[] = [];
const started = performance.now();
for (let sent = 0; sent < PER_SECOND * SECONDS;) {
  const due = Math.min(PER_SECOND * SECONDS, Math.floor(((performance.now() - started) / 1000) * PER_SECOND));
  for (; sent < due; sent++) {
    const at = performance.now();
    const pinned = { type: "message_pinned" as const, messageId: "m".repeat(90), pinned: true };
    open.push(log.append([pinned]).committed.then(() => void latencies.push(performance.now() - at)));
  }
  await new Promise((resolve) => setImmediate(resolve));
}
await Promise.all(open);
const sorted = latencies.toSorted((a, b) => a - b);
report({ p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) });
await log.close();
rmSync(dir, { recursive: true });
