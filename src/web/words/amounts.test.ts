import { expect, test } from "vitest";
import { clockOf } from "./amounts.ts";

test("the hour has no zero before it where the clock has twelve hours", () => {
  const at = new Date(2026, 0, 1, 17, 4).getTime();
  expect(clockOf(at)).toMatch(/^(?:5:04\s?PM|17:04)$/i);
});
