import { expect, test } from "vitest";
import type { Clock } from "../../../kit/clock.ts";
import { createRestartBudget } from "./restart-budget.ts";

function budget() {
  let atMs = 0;
  const clock: Clock = { now: () => atMs, monotonic: () => atMs, after: () => () => {} };
  const one = createRestartBudget({ member: "ada", clock, startsMax: 3, windowMs: 60_000 });
  return { one, pass: (ms: number) => void (atMs += ms) };
}

test("three starts a minute are allowed, then an error says how long to wait", () => {
  const { one, pass } = budget();
  for (let count = 0; count < 3; count++) {
    expect(one.acquire().ok).toBe(true);
    pass(10_000);
  }
  expect(one.acquire()).toEqual({
    ok: false,
    message: "ada was started 3 times in 60 s and exited each time. Try again in 30 s.",
  });
  pass(30_000);
  expect(one.acquire().ok).toBe(true);
  expect(one.acquire().ok).toBe(false);
});

test("a forgiven start does not count", () => {
  const { one } = budget();
  for (let count = 0; count < 10; count++) {
    const taken = one.acquire();
    expect(taken.ok).toBe(true);
    if (taken.ok) taken.start.forgive();
  }
});
