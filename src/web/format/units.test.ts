import { expect, test } from "vitest";
import { formatClock } from "./units.ts";

test("the hour has no zero before it where the clock has twelve hours", () => {
  const at = new Date(2026, 0, 1, 17, 4).getTime();
  expect(formatClock(at)).toMatch(/^(?:5:04\s?PM|17:04)$/i);
});
