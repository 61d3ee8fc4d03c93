import { expect, test } from "vitest";
import { listAge, shortAge } from "./short-age.ts";

const DAY = 86_400_000;

test.each([
  [30_000, "now"],
  [3_599_000, "59m ago"],
  [DAY - 1, "23h ago"],
  [13 * DAY, "13d ago"],
  [14 * DAY, "2w ago"],
  [59 * DAY, "8w ago"],
  [60 * DAY, "2mo ago"],
  [364 * DAY, "12mo ago"],
  [2512 * DAY, "6y ago"],
])("an age of %i ms is %s", (ms, words) => {
  expect(shortAge(ms)).toBe(words);
});

test.each([
  [30_000, "now"],
  [360_000, "6 min"],
  [3_600_000, "1 h"],
  [DAY, "yesterday"],
  [3 * DAY, "3 days"],
  [15 * DAY, "2 weeks"],
  [61 * DAY, "2 months"],
  [800 * DAY, "2 years"],
])("in a list an age of %i ms is %s", (ms, words) => {
  expect(listAge(ms)).toBe(words);
});
