import { expect, test } from "vitest";
import { EVENT_BYTES_MAX, type EventDraft, type Json } from "../protocol/index.ts";
import { draftBytes, fitEvent, fitEvents } from "./fit-event.ts";

const stamp = { turnId: "t", member: "ada", toolCallId: "c" };

test("an oversized agent event is truncated with a marker of how much is missing", () => {
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

  const nested = (levels: number): Json =>
    levels === 0 ? "\u0000".repeat(99) : Array.from({ length: 9 }, () => nested(levels - 1));
  const call = { type: "tool_call_start", ...stamp, name: "x", args: nested(5) } as const;
  expect(fitEvents(call)).toMatchObject([
    { type: "tool_call_start", name: "x" },
    { type: "warning", turnId: "t", member: "ada", code: "event_shortened" },
  ]);
  expect(fitEvents(small)).toEqual([small]);
  const hopeless = {
    type: "ui_widget",
    key: "k",
    content: null,
    opts: { deep: nested(4), more: nested(4), again: nested(4) },
  } as const;
  for (const draft of fitEvents(hopeless)) expect(draftBytes(draft)).toBeLessThan(EVENT_BYTES_MAX);
});

test("a deeply nested agent event is cut at the depth that can be written, with a warning", () => {
  const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as Json;
  const [call, warning] = fitEvents({ type: "tool_call_start", ...stamp, name: "x", args: { keep: "me", deep } });
  expect(JSON.stringify(call).length).toBeLessThan(1_000);
  expect(call).toMatchObject({ type: "tool_call_start", name: "x", args: { keep: "me" } });
  expect(warning).toMatchObject({ type: "warning", code: "event_shortened" });
});
