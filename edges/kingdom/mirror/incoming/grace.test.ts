import { expect, test } from "vitest";
import { GRACE_MS, isWaitOver, type Waited } from "./grace.ts";

/** First millisecond after the grace period. */
function overAfterMs(waited: Partial<Waited>): number {
  const facts = { sinceMs: 0, firstBusyMs: undefined, graceMs: GRACE_MS, isBesideChat: false, ...waited };
  for (let nowMs = 0; ; nowMs += 1) if (isWaitOver({ ...facts, nowMs })) return nowMs;
}

test("a message waits two seconds for activity, ten beside streams of a chat screen, and half a second after the first", () => {
  expect(overAfterMs({})).toBe(2_000);
  expect(overAfterMs({ isBesideChat: true })).toBe(10_000);
  expect(overAfterMs({ firstBusyMs: 300 })).toBe(800);
  expect(overAfterMs({ firstBusyMs: 7_000, isBesideChat: true })).toBe(7_500);
  expect(overAfterMs({ graceMs: 0 })).toBe(0);
});
