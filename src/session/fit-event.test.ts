import { expect, test } from "vitest";
import { EVENT_BYTES_MAX, type EventDraft } from "../protocol/index.ts";
import { draftBytes, fitEvent } from "./fit-event.ts";

const stamp = { turnId: "t", member: "ada", toolCallId: "c" };

test("[S43] an agent's event that is too large is cut with a mark that says how much is missing", () => {
  const small: EventDraft = { type: "tool_call_update", ...stamp, title: "small" };
  expect(fitEvent(small)).toBe(small);

  const text = "x".repeat(300_000);
  const cut = fitEvent({ type: "tool_call_update", ...stamp, detail: text, args: { keep: "me" } });
  expect(cut).toEqual({
    type: "tool_call_update",
    ...stamp,
    detail: `${"x".repeat(24_576)}… (275424 more characters not kept)`,
    args: { keep: "me" },
  });

  const many = fitEvent({ type: "tool_call_update", ...stamp, args: Array.from({ length: 100_000 }, () => "item") });
  expect(draftBytes(many)).toBeLessThan(EVENT_BYTES_MAX);
  expect(many.type).toBe("tool_call_update");

  const wide = Object.fromEntries(
    Array.from({ length: 30 }, (_, key) => [`${key}`, Array.from({ length: 30 }, () => "\u0000".repeat(900))]),
  );
  expect(draftBytes(fitEvent({ type: "tool_call_update", ...stamp, args: { wide, deep: wide } }))).toBeLessThan(
    EVENT_BYTES_MAX,
  );
});
