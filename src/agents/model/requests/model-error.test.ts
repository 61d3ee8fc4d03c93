import { expect, test } from "vitest";
import { readRetryAfter, retryDelayMs } from "./model-error.ts";

const limits = { retryBaseMs: 500, retryMsMax: 30_000 };

test("the retry delay doubles up to a limit, with a jitter of a quarter", () => {
  expect([1, 2, 3, 4].map((attempt) => retryDelayMs(attempt, 0.5, limits))).toEqual([500, 1000, 2000, 4000]);
  expect([retryDelayMs(1, 0, limits), retryDelayMs(1, 1, limits)]).toEqual([375, 625]);
  expect(retryDelayMs(40, 0.5, limits)).toBe(30_000);
});

test.each([
  [{ "retry-after": "2" }, 2_000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
  [{ "retry-after": "Thu, 01 Jan 1970 00:00:10 GMT" }, 4_000],
  [{ "retry-after": "Thu, 01 Jan 1970 00:00:01 GMT" }, 0],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "-5" }, undefined],
  [{}, undefined],
])("%j asks for a pause of %s ms", (headers, ms) => {
  expect(readRetryAfter(new Headers(headers as Record<string, string>), 6_000)).toBe(ms);
});
