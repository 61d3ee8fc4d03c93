import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { afterActiveTime } from "./serve-host.ts";

/** Simulates a suspended process. */
function pauseFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test("a suspended machine does not use up the shutdown time; once it has expired it stays expired", async () => {
  const order: string[] = [];
  const over = Promise.withResolvers<void>();
  afterActiveTime(150, () => {
    order.push("over");
    over.resolve();
  });
  const takeBack = afterActiveTime(150, () => order.push("taken back"));
  pauseFor(300);
  await setImmediate();
  await setImmediate();
  order.push("settled");
  takeBack();
  await over.promise;
  expect(order).toEqual(["settled", "over"]);
});
