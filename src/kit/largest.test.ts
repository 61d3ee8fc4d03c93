import { expect, test } from "vitest";
import { largest } from "./largest.ts";

test("the maximum of half a million numbers, and the default for none", () => {
  expect(largest(Array.from({ length: 500_000 }, (_, at) => at))).toBe(499_999);
  expect(largest([1, 5, 3].values(), 4)).toBe(5);
  expect(largest([], 3)).toBe(3);
});
