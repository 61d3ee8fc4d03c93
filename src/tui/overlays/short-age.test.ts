import { expect, test } from "vitest";
import { shortAge } from "./short-age.ts";

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
