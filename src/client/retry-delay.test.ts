import { expect, test } from "vitest";
import { retryDelayMs } from "./retry-delay.ts";

test("the wait before try n is anywhere below 250 ms doubled n - 1 times, and below 10 s", () => {
  const attempts = [1, 2, 3, 4, 5, 6, 7, 8, 1_000_000];
  expect(attempts.map((attempt) => retryDelayMs(attempt, 0.999_999))).toEqual([
    249, 499, 999, 1_999, 3_999, 7_999, 9_999, 9_999, 9_999,
  ]);
  expect(attempts.map((attempt) => retryDelayMs(attempt, 0))).toEqual(attempts.map(() => 0));
  expect(retryDelayMs(3, 0.5)).toBe(500);
});
