import { expect, test } from "vitest";
import { excessOf, hasTooMany, isTooDeep, NESTING_MAX } from "./nesting.ts";

const nested = (levels: number, [open, close]: [string, string]): unknown =>
  JSON.parse(`${open.repeat(levels)}1${close.repeat(levels)}`);

test("nesting up to the limit is accepted, one level more is rejected, and no depth overflows the stack", () => {
  for (const brackets of [
    ["[", "]"],
    ['{"a":', "}"],
    ['[{"a":"","b":', "}]"],
  ] as [string, string][]) {
    const each = brackets[0].startsWith("[{") ? 2 : 1;
    const depths = [NESTING_MAX / each, NESTING_MAX / each + 1, 100_000];
    expect(depths.map((levels) => isTooDeep(nested(levels, brackets)))).toEqual([false, true, true]);
  }
  expect([1, "text", null, undefined, [], {}].map((value) => isTooDeep(value))).toEqual(Array(6).fill(false));
});

test("100,000 values are accepted, one more is rejected, and no depth overflows the stack", () => {
  const many = (count: number) => [Array.from({ length: count - 2 }, () => 0), { a: 1 }];
  expect([many(99_999), many(100_000), nested(90_000, ["[", "]"])].map(hasTooMany)).toEqual([false, true, false]);
  expect([1, "text", null, undefined, [], {}].map((value) => hasTooMany(value))).toEqual(Array(6).fill(false));
  expect([[1], many(100_000), nested(100_000, ["[", "]"])].map(excessOf)).toEqual([
    undefined,
    "it has more than 100000 values",
    "it nests deeper than 128 levels",
  ]);
});
