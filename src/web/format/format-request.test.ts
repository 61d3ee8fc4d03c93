import { expect, test } from "vitest";
import { formatTimeLeft } from "./format-request.ts";

test("what becomes of a request that nobody answers is said, with the time until then", () => {
  const request = { method: "approval", title: "", tool: "shell", call: "ls", callHash: "h", options: [] } as const;
  const open = { member: "ada", ts: 1_000, timeoutMs: 120_000, request: { ...request, options: [] } };
  expect(formatTimeLeft(open, 1_000)).toBe("Auto-denied in 2:00");
  expect(formatTimeLeft(open, 91_500)).toBe("Auto-denied in 0:30");
  expect(formatTimeLeft(open, 121_000)).toBe("Auto-denied now");
  const confirm = { method: "confirm", title: "Go on?", message: "" } as const;
  expect(formatTimeLeft({ ...open, request: confirm }, 1_000)).toBe("Answered no in 2:00");
  expect(formatTimeLeft({ ...open, request: { method: "input", title: "Name?" } }, 999_000)).toBe("Skipped now");
});
