import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { createManualClock } from "../../../test/host/manual-clock.ts";
import { newId } from "../../kit/ids.ts";
import { openFileLog, type EventLog } from "../../log/index.ts";
import type { SessionEvent } from "../../protocol/index.ts";
import { HistoryBatches, splitIntoBatches } from "./history-batches.ts";

const EVENTS = 2_000;

/** A log that counts its reads. */
async function openCounted() {
  const log = await openFileLog({ dataDir: mkdtempSync(path.join(tmpdir(), "rt-past-")), sessionId: newId() });
  const drafts = Array.from(
    { length: EVENTS },
    () => ({ type: "ui_status", key: "k", text: "x".repeat(500) }) as const,
  );
  await log.append(drafts).committed;
  const counts = { begun: 0, running: 0, mostRunning: 0 };
  async function* counted(after: number): ReturnType<EventLog["read"]> {
    counts.begun += 1;
    const batches = log.read(after);
    for (;;) {
      counts.running += 1;
      counts.mostRunning = Math.max(counts.mostRunning, counts.running);
      const step = await batches.next();
      counts.running -= 1;
      if (step.done === true) return;
      yield step.value;
    }
  }
  const clock = createManualClock();
  return {
    log,
    clock,
    counts,
    history: new HistoryBatches({ read: counted }, clock),
    other: new HistoryBatches({ read: counted }, clock),
  };
}

async function readAll(history: HistoryBatches, after: number): Promise<(readonly SessionEvent[])[]> {
  const batches: (readonly SessionEvent[])[] = [];
  for (let cursor = after; cursor < EVENTS;) {
    const batch = await history.after(cursor, EVENTS);
    if (batch === undefined) throw new Error(`nothing after ${cursor}`);
    batches.push(batch);
    cursor = batch.at(-1)?.seq ?? EVENTS;
  }
  return batches;
}

const seqsOf = (batches: readonly (readonly SessionEvent[])[]) => batches.flat().map(({ seq }) => seq);
const countFrom = (first: number) => Array.from({ length: EVENTS - first + 1 }, (_, at) => first + at);

test("readers that are behind share one reading of the file and the very same arrays, also after beginning at different places", async () => {
  const { log, counts, history, other: lone } = await openCounted();
  await readAll(lone, 0);
  const needed = counts.begun;
  const readers = await Promise.all(Array.from({ length: 50 }, () => readAll(history, 0)));
  expect(counts.begun).toBe(2 * needed);
  for (const batches of readers) expect(batches.every((batch, at) => batch === readers[0]?.[at])).toBe(true);
  expect(seqsOf(readers[0] ?? [])).toEqual(countFrom(1));
  const later = await readAll(history, 3);
  expect(seqsOf(later)).toEqual(countFrom(4));
  expect(later.slice(1).every((batch, at) => batch === readers[0]?.[at + 1])).toBe(true);
  expect(counts.begun).toBe(2 * needed);
  history.forget();
  lone.forget();
  await log.close();
});

test("a reader that is behind gets batches of at most 32 events", async () => {
  const { log, history } = await openCounted();
  const batches = await readAll(history, 0);
  expect(Math.max(...batches.map((batch) => batch.length))).toBe(32);
  history.forget();
  await log.close();
});

test("late readers at many positions read two at a time, and each gets every event once", async () => {
  const { log, counts, history } = await openCounted();
  const starts = Array.from({ length: 40 }, (_, at) => at * 37);
  const readers = await Promise.all(starts.map((after) => readAll(history, after)));
  for (const [at, batches] of readers.entries()) expect(seqsOf(batches)).toEqual(countFrom((starts[at] ?? 0) + 1));
  expect(counts.mostRunning).toBeLessThanOrEqual(2);
  history.forget();
  await log.close();
});

test("no event beyond the requested range is sent, and the cache is dropped after 250 ms without a request", async () => {
  const { log, clock, counts, history } = await openCounted();
  const batch = await history.after(0, 10);
  expect(batch?.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(await history.after(0, 10)).toBe(batch);
  clock.advance(300);
  const again = await history.after(0, 10);
  expect(again).toEqual(batch);
  expect(again).not.toBe(batch);
  expect(counts.begun).toBe(2);
  history.forget();
  await log.close();
});

function status(seq: number, textLength: number): SessionEvent {
  const envelope = { seq, epoch: 1, id: `e${seq}`, ts: 1, sessionId: "s" };
  return { ...envelope, type: "ui_status", key: "k", text: "x".repeat(textLength) };
}

test("a batch is at most 512 events and about 192 KiB, an event too large for that goes alone, and a small one is the array itself", () => {
  const small = Array.from({ length: 40 }, (_, at) => status(at + 1, 100));
  expect(splitIntoBatches(small)[0]).toBe(small);
  const many = Array.from({ length: 1_200 }, (_, at) => status(at + 1, 10));
  expect(splitIntoBatches(many).map((batch) => batch.length)).toEqual([512, 512, 176]);
  const large = [status(1, 100_000), status(2, 100_000), status(3, 250_000), status(4, 1)];
  expect(splitIntoBatches(large).map((batch) => batch.map(({ seq }) => seq))).toEqual([[1], [2], [3], [4]]);
  const mixed = Array.from({ length: 60 }, (_, at) => status(at + 1, 8 * 1024));
  const batches = splitIntoBatches(mixed);
  expect(batches.flat()).toEqual(mixed);
  expect(Math.max(...batches.map((batch) => JSON.stringify(batch).length))).toBeLessThan(192 * 1024);
  expect(splitIntoBatches([])).toEqual([]);
});
