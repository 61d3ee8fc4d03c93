import { expect, test } from "vitest";
import { editDistance, nearestName, nearNames } from "./nearest-name.ts";

test("the nearest word has the fewest edits; there is none when all are far", () => {
  const known = ["members", "timeout", "auto_rounds", "mode", "preamble", "limits"];
  expect(["membres", "timeuot", "rounds", "Mode", "qqqqqqqqqqqqqq"].map((word) => nearestName(word, known))).toEqual([
    "members",
    "timeout",
    "auto_rounds",
    "mode",
    undefined,
  ]);
});

test("a transposition is one edit", () => {
  expect([editDistance("", "abc"), editDistance("ab", "ba"), editDistance("kitten", "sitting")]).toEqual([3, 1, 3]);
});

test("at most three near names, prefix matches first, none beyond the allowed edits", () => {
  const known = ["members", "model", "mute", "minutes", "quit"];
  expect(nearNames("m", known, { slipsMax: 2 })).toEqual(["members", "model", "mute"]);
  expect(nearNames("Mtue", known, { slipsMax: 2 })).toEqual(["mute"]);
  expect(nearNames("zzzzzzz", known, { slipsMax: 2 })).toEqual([]);
});
