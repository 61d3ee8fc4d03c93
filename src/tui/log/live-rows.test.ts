import { expect, test } from "vitest";
import { liveRowsMax } from "./log-content.ts";

test("one streaming member may fill the view, two or more get a third at most, and all fit in", () => {
  const table = [1, 2, 3, 4, 6, 9].map((turns) => liveRowsMax(turns, 36));
  expect(table).toEqual([32, 12, 10, 8, 5, 3]);
  expect([liveRowsMax(1, 3), liveRowsMax(3, 3), liveRowsMax(0, 0)]).toEqual([5, 3, 5]);
});
