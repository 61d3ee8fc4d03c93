import { expect, test } from "vitest";
import { shortId, shortIdLength } from "./short-id.ts";

test("a short id is the shortest unique end, of at least six characters", () => {
  expect([
    shortIdLength([]),
    shortIdLength(["01AAAAAAAAAA"]),
    shortIdLength(["01AAAAAAAAAB", "01AAAAAAAAAC"]),
    shortIdLength(["C1AAAAAAAAAA", "02BBBBBBBBBB", "B1AAAAAAAAAA"]),
    shortIdLength(["01AAAAAAAAAA", "01AAAAAAAAAA"]),
  ]).toEqual([6, 6, 6, 12, 6]);
  expect([shortId("01M7N7T75QTBVE"), shortId("01M7N7T75QTBVE", 8)]).toEqual(["5qtbve", "t75qtbve"]);
});
