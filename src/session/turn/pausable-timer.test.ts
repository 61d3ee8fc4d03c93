import { expect, test } from "vitest";
import { createFakeClock } from "../../../test/session/fake-clock.ts";
import { startTimer } from "./pausable-timer.ts";

test("[S160] a paused time limit continues with the remaining time when the last pause ends", async () => {
  const clock = createFakeClock();
  const rung: number[] = [];
  const timer = startTimer(clock, 100, () => rung.push(clock.monotonic()));
  await clock.advance(40);
  const [one, two] = [timer.pause(), timer.pause()];
  await clock.advance(1_000);
  one();
  one();
  await clock.advance(1_000);
  two();
  await clock.advance(59);
  expect(rung).toEqual([]);
  await clock.advance(1);
  expect(rung).toEqual([2_100]);
  timer.pause()();
  await clock.advance(1_000);
  expect(rung).toEqual([2_100]);
});

test("[S160] a cancelled time limit never fires, even when it was paused", async () => {
  const clock = createFakeClock();
  const rung: number[] = [];
  const timer = startTimer(clock, 100, () => rung.push(1));
  const resume = timer.pause();
  timer.cancel();
  resume();
  await clock.advance(1_000);
  expect([rung, clock.timers]).toEqual([[], 0]);
});
