import { expect, test } from "vitest";
import { beginningOf, encodedBytes } from "../../kit/text/encoded-size.ts";
import { joinSegments, SEGMENT_BYTES_MAX } from "./turn.ts";

test.each(["plain words ", 'quoted "x"\n', "ünï €", "🎉", "\u0001"])(
  "a text that was cut because its segment was full is whole again: %j",
  (words) => {
    const text = words.repeat(Math.ceil((2.1 * SEGMENT_BYTES_MAX) / encodedBytes(words)));
    const segments: string[] = [];
    for (let rest = text; rest !== ""; rest = rest.slice(segments.at(-1)?.length)) {
      segments.push(beginningOf(rest, SEGMENT_BYTES_MAX));
    }
    expect(segments.length).toBeGreaterThan(2);
    expect(joinSegments(segments) === text).toBe(true);
  },
);

test("segments that ended by themselves are paragraphs, and empty ones are none", () => {
  expect(joinSegments(["one", "", "two"])).toBe("one\n\ntwo");
  expect(joinSegments(["x".repeat(SEGMENT_BYTES_MAX - 100), "two"]).endsWith("x\n\ntwo")).toBe(true);
  expect(joinSegments([])).toBe("");
});
