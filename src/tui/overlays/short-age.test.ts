import { expect, test } from "vitest";
import { shortAge, timeAgo } from "./short-age.ts";

const DAY = 86_400_000;

test.each([
  [30_000, "now", "now"],
  [360_000, "6 min", "6 min ago"],
  [3_600_000, "1 h", "1 h ago"],
  [DAY, "yesterday", "yesterday"],
  [3 * DAY, "3 days", "3 days ago"],
  [15 * DAY, "2 weeks", "2 weeks ago"],
  [61 * DAY, "2 months", "2 months ago"],
  [800 * DAY, "2 years", "2 years ago"],
])("an age of %i ms is %s, in a sentence %s", (ms, age, ago) => {
  expect(shortAge(ms)).toBe(age);
  expect(timeAgo(ms)).toBe(ago);
});
