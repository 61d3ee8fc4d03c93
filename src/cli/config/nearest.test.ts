import { expect, test } from "vitest";
import { editDistance, nearest } from "./nearest.ts";

test("[X22] the nearest known word is the one with the fewest slips, and none when all are far", () => {
  const known = ["members", "timeout", "auto_rounds", "mode", "preamble", "limits"];
  expect(["membres", "timeuot", "rounds", "Mode", "qqqqqqqqqqqqqq"].map((word) => nearest(word, known))).toEqual([
    "members",
    "timeout",
    "auto_rounds",
    "mode",
    undefined,
  ]);
});

test("[X22] swapped neighbours are one slip", () => {
  expect([editDistance("", "abc"), editDistance("ab", "ba"), editDistance("kitten", "sitting")]).toEqual([3, 1, 3]);
});
