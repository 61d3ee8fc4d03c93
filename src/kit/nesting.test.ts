import { expect, test } from "vitest";
import { isTooDeep, NESTING_MAX } from "./nesting.ts";

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
