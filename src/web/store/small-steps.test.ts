import { expect, test } from "vitest";
import { createSmallSteps } from "./draw-in-steps.ts";

function stepsOf(places: readonly number[], options: { readonly from?: number } = {}) {
  const steps = createSmallSteps<number>({ positionOf: (position) => position, step: 60 });
  if (options.from !== undefined) {
    steps.add(options.from);
    steps.next();
  }
  for (const position of places) steps.add(position);
  return steps;
}

function drawn(steps: ReturnType<typeof stepsOf>): number[] {
  const found: number[] = [];
  for (let next = steps.next(); next !== undefined; next = steps.next()) found.push(next);
  return found;
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

test("what is opened is drawn whole, and so is what came since the last frame of a page that keeps up", () => {
  expect(drawn(stepsOf([5_000]))).toEqual([5_000]);
  expect(drawn(stepsOf([5_020, 5_040, 5_060], { from: 5_000 }))).toEqual([5_060]);
});

test("what came while the page was busy is drawn in steps, the newest state last", () => {
  expect(drawn(stepsOf(upTo(350), { from: 0 }))).toEqual([60, 120, 180, 240, 300, 350]);
  expect(stepsOf(upTo(350), { from: 0 }).next({ isWhole: true })).toBe(350);
  // A state that is far from the one before it cannot be divided.
  expect(drawn(stepsOf([900, 901], { from: 0 }))).toEqual([900, 901]);
  expect(drawn(stepsOf([3, 4], { from: 900 }))).toEqual([4]);
});

test("however fast events come, what is drawn stays less than a second behind, and few states are kept for it", () => {
  const steps = stepsOf([], { from: 0 });
  const DRAWS_A_SECOND = 30;
  const perDraw = 1_000;
  let newest = 0;
  let shown = 0;
  for (let draw = 0; draw < 300; draw += 1) {
    for (let event = 0; event < perDraw; event += 1) steps.add((newest += 1));
    shown = steps.next() ?? shown;
  }
  expect(newest - shown).toBeLessThan(perDraw * DRAWS_A_SECOND);
  const last = drawn(steps);
  expect(last.at(-1)).toBe(newest);
  expect(last.length).toBeLessThan(100);
  expect(steps.isWaiting()).toBe(false);
});

test("what waits of one session is not drawn in the next", () => {
  const steps = stepsOf(upTo(350), { from: 0 });
  steps.clear();
  expect(steps.isWaiting()).toBe(false);
  steps.add(9);
  expect(steps.next()).toBe(9);
});
