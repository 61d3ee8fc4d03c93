import { expect, test } from "vitest";
import { createFakeClock } from "../../../test/session/fake-clock.ts";
import { createDeltaJoiner, FLUSH_MS } from "./delta-joiner.ts";

function open({ lateMs = 0 } = {}) {
  const clock = createFakeClock();
  const emitted: string[] = [];
  const late = { ...clock, after: (ms: number, callback: () => void) => clock.after(ms + lateMs, callback) };
  const joiner = createDeltaJoiner(late, (text) => emitted.push(text));
  return { clock, emitted, joiner };
}

test("a delta after a pause is emitted at once, and leaves no timer", async () => {
  const { clock, emitted, joiner } = open();
  joiner.add("a");
  expect(emitted).toEqual(["a"]);
  await clock.advance(FLUSH_MS);
  joiner.add("b");
  expect(emitted).toEqual(["a", "b"]);
  expect(clock.timers).toBe(0);
});

test.each([0, 2])("a hundred deltas a second become thirty events a second, with timers %s ms late", async (lateMs) => {
  const { clock, emitted, joiner } = open({ lateMs });
  const pieces = Array.from({ length: 1_000 }, (_, at) => `${at} `);
  for (const chunk of pieces) {
    joiner.add(chunk);
    await clock.advance(10);
  }
  joiner.flush();
  expect(emitted.join("")).toBe(pieces.join(""));
  expect(emitted.length).toBeGreaterThanOrEqual(300);
  expect(emitted.length).toBeLessThanOrEqual(10_000 / FLUSH_MS + 2);
});

test("flushed text is not emitted again, and nothing follows a drop", async () => {
  const { clock, emitted, joiner } = open();
  joiner.add("a");
  await clock.advance(FLUSH_MS);
  joiner.add("b");
  joiner.add("c");
  joiner.flush();
  joiner.add("d");
  joiner.drop();
  await clock.advance(FLUSH_MS);
  expect(emitted).toEqual(["a", "b", "c"]);
  expect(clock.timers).toBe(0);
});
