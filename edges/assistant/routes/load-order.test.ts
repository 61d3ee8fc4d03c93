import { expect, test } from "vitest";
import { createFakeClock } from "../../../test/session/fake-clock.ts";
import { holdMs, LoadOrder } from "./load-order.ts";

test("a load waits briefly for a subscription to its session", async () => {
  const clock = createFakeClock();
  const loads = new LoadOrder(clock);
  const done: string[] = [];
  const load = (name: string, sessionId = "s") => void loads.subscribed(sessionId).then(() => done.push(name));
  load("first");
  loads.noteSubscribed("another");
  await clock.advance(50);
  expect(done).toStrictEqual([]);
  loads.noteSubscribed("s");
  await clock.advance(0);
  expect(done).toStrictEqual(["first"]);
  load("right after");
  await clock.advance(100);
  expect(done).toStrictEqual(["first", "right after"]);
  await clock.advance(1);
  load("late");
  await clock.advance(399);
  expect(done).toHaveLength(2);
  await clock.advance(1);
  expect([done, clock.timers]).toStrictEqual([["first", "right after", "late"], 0]);
  expect([holdMs(0), holdMs(2_000), holdMs(1e9)]).toStrictEqual([150, 170, 1_000]);
});
