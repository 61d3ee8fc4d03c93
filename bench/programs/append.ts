/**
 * Appends 250-byte events with fdatasync and at most 256 unacknowledged, as fast as the disk takes them.
 * `bare`: a loop that stringifies, writes one batch, fdatasyncs and resolves; ours: the event log of the packed product.
 */
import { closeSync, fdatasync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { report, rooms } from "./product.ts";

const EVENTS = 200_000;
const IN_FLIGHT = 256;
const text = "x".repeat(60);

type Append = (index: number) => Promise<void>;

function bareLoop(dir: string): { append: Append; close(): Promise<void> } {
  const fd = openSync(path.join(dir, "bare.jsonl"), "a", 0o600);
  const sync = promisify(fdatasync);
  let lines: string[] = [];
  let waiting: (() => void)[] = [];
  let busy = false;
  async function flush(): Promise<void> {
    busy = true;
    while (lines.length > 0) {
      const [batch, resolvers] = [lines, waiting];
      [lines, waiting] = [[], []];
      writeSync(fd, batch.join(""));
      await sync(fd);
      for (const resolve of resolvers) resolve();
    }
    busy = false;
  }
  return {
    append(index) {
      const event = { seq: index + 1, epoch: 1, id: "01JN0000000000000000000000", ts: 1_763_000_000_000 + index };
      lines.push(`${JSON.stringify({ ...event, sessionId: "01JN0000000000000000000001", ...payload(index) })}\n`);
      const done = new Promise<void>((resolve) => waiting.push(resolve));
      if (!busy) {
        busy = true;
        queueMicrotask(() => void flush());
      }
      return done;
    },
    close: () => Promise.resolve(closeSync(fd)),
  };
}

const payload = (index: number) => ({
  type: "message_pinned" as const,
  messageId: `01JN00000000000000${String(index).padStart(8, "0")}${text}`,
  pinned: true,
});

async function ourLog(dir: string): Promise<{ append: Append; close(): Promise<void> }> {
  const { openFileLog } = await rooms();
  const log = await openFileLog({ dataDir: dir, sessionId: "01JN0000000000000000000001" });
  return { append: (index) => log.append([payload(index)]).committed, close: () => log.close() };
}

async function keepInFlight(append: Append): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < EVENTS) await append(next++);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
}

const dir = mkdtempSync(path.join(tmpdir(), "roundtable-bench-"));
const store = process.argv[2] === "bare" ? bareLoop(dir) : await ourLog(dir);
const started = performance.now();
await keepInFlight(store.append);
report({ eventsPerSecond: EVENTS / ((performance.now() - started) / 1000) });
await store.close();
rmSync(dir, { recursive: true });
