import { assert, integer, property, string } from "fast-check";
import { expect, test } from "vitest";
import { deltaChunks } from "./delta-chunks.ts";

test("chunks are split after whitespace where possible", () => {
  expect([...deltaChunks("one two three four", 10)]).toEqual(["one two ", "three four"]);
  expect([...deltaChunks("", 10)]).toEqual([]);
});

test("for any text the chunks join to it, are short and never split a character", () => {
  assert(
    property(string({ unit: "grapheme", maxLength: 200 }), integer({ min: 2, max: 20 }), (text, max) => {
      const pieces = [...deltaChunks(text, max)];
      expect(pieces.join("")).toBe(text);
      for (const piece of pieces) {
        expect(piece.length).toBeGreaterThan(0);
        expect(piece.length).toBeLessThanOrEqual(max + 1);
        expect(piece.isWellFormed()).toBe(true);
      }
    }),
  );
});
