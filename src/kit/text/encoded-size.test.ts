import { expect, test } from "vitest";
import { beginningOf, encodedBytes, endOf, heldBytes } from "./encoded-size.ts";

test("[S19] a text is truncated by its size in JSON, never inside a character", () => {
  const text = 'plain "quoted" \u0001\u0002 é 😀😀 end';
  for (let bytes = 0; bytes <= encodedBytes(text) + 1; bytes += 1) {
    const beginning = beginningOf(text, bytes);
    const end = endOf(text, bytes);
    expect(text.startsWith(beginning) && text.endsWith(end)).toBe(true);
    expect(encodedBytes(beginning)).toBeLessThanOrEqual(bytes);
    expect(encodedBytes(end)).toBeLessThanOrEqual(bytes);
    expect([beginning.isWellFormed(), end.isWellFormed()]).toEqual([true, true]);
    const point = text.codePointAt(beginning.length);
    const next = point === undefined ? "" : String.fromCodePoint(point);
    expect(next === "" || encodedBytes(beginning + next) > bytes).toBe(true);
  }
  expect(encodedBytes("\u0001")).toBe(6);
});

test("the size of a value includes its texts, keys and scalars", () => {
  const text = "x".repeat(1000);
  expect(heldBytes(text)).toBe(1008);
  expect(heldBytes({ text, to: [null, 1, true] })).toBe(8 + 4 + 1008 + 2 + 8 + 3 * 8);
  const numbers = Array.from({ length: 1000 }, (_, at) => at);
  expect(heldBytes({ deep: { deeper: [numbers, numbers] } })).toBeGreaterThan(16_000);
});
