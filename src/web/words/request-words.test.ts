import { expect, test } from "vitest";
import { leftWords } from "./request-words.ts";

test("[W380] how long a request waits is said in seconds and minutes, and at its end as now", () => {
  const open = { ts: 1_000, timeoutMs: 120_000, request: { method: "confirm", title: "Go on?", message: "" } } as const;
  expect(leftWords(open, 1_000)).toBe("auto-denied in 2 min");
  expect(leftWords(open, 91_500)).toBe("auto-denied in 30.0 s");
  expect(leftWords(open, 121_000)).toBe("auto-denied now");
  expect(leftWords({ ...open, request: { method: "input", title: "Name?" } }, 999_000)).toBe("closes now");
});
