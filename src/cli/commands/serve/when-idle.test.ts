import { expect, test } from "vitest";
import { createManualClock } from "../../../../test/host/manual-clock.ts";
import { whenIdle } from "./serve-host.ts";

test("idle is reported once, a full idle period after the last use; a request between two checks is a use", () => {
  const clock = createManualClock();
  const now = { isNeeded: true, requests: 0, told: 0 };
  const stop = whenIdle({
    isNeeded: () => now.isNeeded,
    requests: () => now.requests,
    idleMs: 4_000,
    onIdle: () => (now.told += 1),
    clock,
  });
  const pass = (ms: number) => {
    for (let passed = 0; passed < ms; passed += 100) clock.advance(100);
  };
  pass(20_000);
  now.isNeeded = false;
  pass(3_900);
  expect(now.told).toBe(0);
  now.requests += 1;
  pass(3_900);
  expect(now.told).toBe(0);
  pass(1_100);
  expect(now.told).toBe(1);
  pass(20_000);
  expect(now.told).toBe(1);
  stop();
});

test("a stopped watch reports nothing", () => {
  const clock = createManualClock();
  let told = 0;
  const stop = whenIdle({ isNeeded: () => false, requests: () => 0, idleMs: 1_000, onIdle: () => (told += 1), clock });
  stop();
  clock.advance(60_000);
  expect(told).toBe(0);
});
