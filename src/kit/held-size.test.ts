import { expect, test } from "vitest";
import { heldBytes } from "./held-size.ts";

test("what a value holds is counted with its texts, its names and whatever has no length", () => {
  const text = "x".repeat(1000);
  expect(heldBytes(text)).toBe(1008);
  expect(heldBytes({ text, to: [null, 1, true] })).toBe(8 + 4 + 1008 + 2 + 8 + 3 * 8);
  const numbers = Array.from({ length: 1000 }, (_, at) => at);
  expect(heldBytes({ deep: { deeper: [numbers, numbers] } })).toBeGreaterThan(16_000);
});
