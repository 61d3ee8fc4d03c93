import { expect, test } from "vitest";
import { checkMessageCount, countElements } from "./print-limits.ts";

test("a session with too many messages or elements is refused with what to do instead", () => {
  expect(() => checkMessageCount(50_000)).not.toThrow();
  expect(() => checkMessageCount(50_001)).toThrow(
    "This session has 50,001 messages, too many to print. Use /export html.",
  );
  const add = countElements();
  for (const more of [100_000, 20_000, 0]) expect(() => add(more)).not.toThrow();
  expect(() => add(1)).toThrow("This session is too long for the browser to print. Use /export html.");
  expect(() => countElements()(120_000)).not.toThrow();
});
