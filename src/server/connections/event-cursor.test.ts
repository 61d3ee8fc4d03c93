import { expect, test } from "vitest";
import { formatEventId, parseEventId } from "./event-cursor.ts";

test("the id of an event says epoch and seq, and reads back as the cursor it came from", () => {
  for (const cursor of [
    { epoch: 1, seq: 1 },
    { epoch: 3, seq: 0 },
    { epoch: 987_654_321, seq: 999_999_999_999_999 },
  ]) {
    expect(parseEventId(formatEventId(cursor))).toEqual(cursor);
  }
  expect(formatEventId({ epoch: 2, seq: 17 })).toBe("2.17");
});

test("a bare seq is a cursor of any epoch, and nothing else is a cursor", () => {
  expect(parseEventId("17")).toEqual({ epoch: 0, seq: 17 });
  const wrong = ["", "-1", "1.-2", "1.2.3", "0.5", "01.5", " 1", "1 ", "1e3", "1.", ".1", "١", "9".repeat(16), "1.2\n"];
  expect(wrong.filter((text) => parseEventId(text) !== undefined)).toEqual([]);
});
