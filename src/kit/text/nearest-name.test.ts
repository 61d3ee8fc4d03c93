import { expect, test } from "vitest";
import { editDistance, nearestName, nearNames } from "./nearest-name.ts";

test("the nearest known word is the one with the fewest slips, and none when all are far", () => {
  const known = ["members", "timeout", "auto_rounds", "mode", "preamble", "limits"];
  expect(["membres", "timeuot", "rounds", "Mode", "qqqqqqqqqqqqqq"].map((word) => nearestName(word, known))).toEqual([
    "members",
    "timeout",
    "auto_rounds",
    "mode",
    undefined,
  ]);
});

test("swapped neighbours are one slip", () => {
  expect([editDistance("", "abc"), editDistance("ab", "ba"), editDistance("kitten", "sitting")]).toEqual([3, 1, 3]);
});

test("near names are at most three, those that the word begins first, and none that needs more slips than allowed", () => {
  const known = ["members", "model", "mute", "minutes", "quit"];
  expect(nearNames("m", known, { slipsMax: 2 })).toEqual(["members", "model", "mute"]);
  expect(nearNames("Mtue", known, { slipsMax: 2 })).toEqual(["mute"]);
  expect(nearNames("zzzzzzz", known, { slipsMax: 2 })).toEqual([]);
  expect(nearNames("zzzzzzz", known)).toHaveLength(3);
});
