/**
 * The two stores that are compared. `bare`: stringify, write one batch, fdatasync, resolve; `ours`: the event log of
 * the packed product.
 */
import { closeSync, fdatasync, openSync, writeSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { rooms } from "./product.ts";

const text = "x".repeat(60);

export interface Store {
  append(index: number): Promise<void>;
  close(): Promise<void>;
}

export async function openStore(which: string | undefined, dir: string): Promise<Store> {
  return which === "bare" ? bareLoop(dir) : ourLog(dir);
}

function bareLoop(dir: string): Store {
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

async function ourLog(dir: string): Promise<Store> {
  const { openFileLog } = await rooms();
  const log = await openFileLog({ dataDir: dir, sessionId: "01JN0000000000000000000001" });
  return { append: (index) => log.append([payload(index)]).committed, close: () => log.close() };
}
