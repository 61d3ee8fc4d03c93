import { expect, test } from "vitest";
import { geminiProgram, waitForNextMinute } from "./gemini.ts";

const SESSION = "b1d5bb43-f6fc-4d9b-91b9-f4728a154af0";
const FILES = ["session-2026-11-15T07-01-b1d5bb43.jsonl", "session-2026-11-15T07-02-00000000.jsonl"];

test("a session created in this minute waits for the next minute", () => {
  expect(waitForNextMinute(FILES, SESSION, Date.UTC(2026, 10, 15, 7, 1, 45))).toBe(15_500);
});

test("sessions of another minute or without a file do not wait", () => {
  expect(waitForNextMinute(FILES, SESSION, Date.UTC(2026, 10, 15, 7, 2, 0))).toBe(0);
  expect(waitForNextMinute([], SESSION, Date.UTC(2026, 10, 15, 7, 1, 45))).toBe(0);
});

test("Gemini uses an API key only when the key is passed on", () => {
  expect(geminiProgram.authMethod?.((name) => name === "GEMINI_API_KEY")).toBe("gemini-api-key");
  expect(geminiProgram.authMethod?.(() => false)).toBeUndefined();
});
