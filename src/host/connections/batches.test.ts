import { expect, test } from "vitest";
import type { SessionEvent } from "../../protocol/index.ts";
import { splitIntoBatches } from "./batches.ts";

function status(seq: number, textLength: number): SessionEvent {
  const envelope = { seq, epoch: 1, id: `e${seq}`, ts: 1, sessionId: "s" };
  return { ...envelope, type: "ui_status", key: "k", text: "x".repeat(textLength) };
}

test("a lot is at most 512 events and about 192 KiB, an event too large for that goes alone, and a small one is the array itself", () => {
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
