import { array, assert, integer, property, string } from "fast-check";
import { expect, test } from "vitest";
import { createTruncatingBuffer, truncateText } from "./truncating-buffer.ts";

test("a long text keeps its beginning and end, with the number of missing characters", () => {
  expect(truncateText("0123456789".repeat(10), 20)).toEqual({
    text: "012345678901\n… (80 bytes left out) …\n23456789",
    totalBytes: 100,
    isCut: true,
  });
  expect(truncateText("short", 20)).toEqual({ text: "short", totalBytes: 5, isCut: false });
});

test("for any chunks the stored text is bounded and splits no character, and short texts are complete", () => {
  assert(
    property(
      array(string({ unit: "grapheme", maxLength: 40 }), { maxLength: 30 }),
      integer({ min: 16, max: 200 }),
      (pieces, max) => {
        const buffer = createTruncatingBuffer(max);
        for (const chunk of pieces) buffer.add(chunk);
        const all = pieces.join("");
        expect(buffer.totalBytes).toBe(Buffer.byteLength(all));
        if (buffer.totalBytes <= max * 0.6) expect(buffer.text()).toBe(all);
        expect(Buffer.byteLength(buffer.text())).toBeLessThanOrEqual(max + 40);
        expect(buffer.text().isWellFormed()).toBe(all.isWellFormed());
      },
    ),
  );
});
