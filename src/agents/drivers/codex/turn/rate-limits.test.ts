import { expect, test } from "vitest";
import { describeLimits } from "./tokens.ts";

test("rate limit usage is one line, or nothing if unknown", () => {
  const primary = { usedPercent: 84.6, windowDurationMins: 300, resetsAt: 1_794_700_000 };
  const secondary = { usedPercent: 12, windowDurationMins: 10_080, resetsAt: null };
  expect(describeLimits({ primary, secondary })).toBe(
    "5 h limit 85 % used until 2026-11-14 23:46 UTC, 7 d limit 12 % used",
  );
  expect([describeLimits({ primary: null, secondary: null }), describeLimits({})]).toEqual(["", ""]);
  expect(describeLimits({ primary: { usedPercent: 1, windowDurationMins: 45, resetsAt: 1e300 } })).toBe(
    "45 min limit 1 % used",
  );
});
