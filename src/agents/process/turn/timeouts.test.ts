import { expect, test } from "vitest";
import type { Clock } from "../../../kit/clock.ts";
import { TurnTimeouts } from "./timeouts.ts";

/** A manual clock that runs due timers while it advances. */
function handClock() {
  let at = 0;
  let timers: { dueMs: number; callback: () => void }[] = [];
  const clock: Clock = {
    now: () => at,
    monotonic: () => at,
    after(ms, callback) {
      const timer = { dueMs: at + ms, callback };
      timers.push(timer);
      return () => void (timers = timers.filter((one) => one !== timer));
    },
  };
  const pass = (ms: number): void => {
    const endMs = at + ms;
    for (;;) {
      const [next] = timers.filter((one) => one.dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs);
      if (next === undefined) break;
      timers = timers.filter((one) => one !== next);
      at = next.dueMs;
      next.callback();
    }
    at = endMs;
  };
  return { clock, pass, waiting: () => timers.length };
}

function watched() {
  const { clock, pass, waiting } = handClock();
  const told: string[] = [];
  const time = new TurnTimeouts({
    clock,
    limits: { silenceWarnMs: 60_000, silenceMs: 600_000, totalMs: 3_600_000 },
    onQuiet: (ms) => told.push(`quiet ${ms}`),
    onSilent: (ms) => told.push(`silent ${ms}`),
    onTooLong: (ms) => told.push(`too long ${ms}`),
  });
  return { time, told, pass, waiting };
}

test("[A66] silence causes a warning after one limit and ends the turn after another, counted from the last activity", () => {
  const { time, told, pass } = watched();
  pass(59_000);
  time.alive();
  pass(59_000);
  expect(told).toEqual([]);
  pass(1_000);
  expect(told).toEqual(["quiet 60000"]);
  pass(540_000);
  expect(told).toEqual(["quiet 60000", "silent 600000"]);
});

test("[A66] each new silence causes its own warning", () => {
  const { time, told, pass } = watched();
  pass(60_000);
  time.alive();
  pass(700_000);
  expect(told).toEqual(["quiet 60000", "quiet 60000", "silent 600000"]);
});

test("waiting for our answer is not silence, but counts towards the total time", () => {
  const { time, told, pass } = watched();
  time.hold();
  pass(3_100_000);
  expect(told).toEqual([]);
  time.release();
  pass(59_000);
  expect(told).toEqual([]);
  pass(1_000_000);
  expect(told).toEqual(["quiet 60000", "too long 3600000", "silent 600000"]);
});

test("[A66] a turn that is over leaves no timer behind", () => {
  const { time, told, pass, waiting } = watched();
  time.stop();
  expect(waiting()).toBe(0);
  pass(10_000_000);
  expect(told).toEqual([]);
});
