import { expect, test } from "vitest";
import { hangingRows } from "./reading-rows.ts";

const LINE = "  /quit [stop]    leaves the table; members that run go on without this screen (also /exit)";

test("what does not fit beside its column goes on below that column, and on a narrow screen a little to the right", () => {
  expect(hangingRows(LINE, 60)).toEqual([
    "  /quit [stop]    leaves the table; members that run go on",
    "                  without this screen (also /exit)",
  ]);
  expect(hangingRows(LINE, 30)).toEqual([
    "  /quit [stop]",
    "    leaves the table; members",
    "    that run go on without",
    "    this screen (also /exit)",
  ]);
  expect(hangingRows(LINE, 120)).toEqual([LINE]);
  expect(hangingRows("one sentence that has no columns at all", 20)).toEqual([
    "one sentence that",
    "has no columns at",
    "all",
  ]);
  for (const width of [1, 2, 5, 20])
    for (const row of hangingRows(LINE, width)) expect(row.length).toBeLessThanOrEqual(width);
});
