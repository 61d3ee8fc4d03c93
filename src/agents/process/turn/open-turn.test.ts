import { expect, test } from "vitest";
import type { AgentEvent } from "../../port.ts";
import { RAW_CHARS_MAX, TurnOutput } from "./open-turn.ts";

function output(limits = { outputCharsMax: 100, contentEventsMax: 3 }) {
  const events: AgentEvent[] = [];
  const turn = new TurnOutput({ turnId: "t", member: "ada", limits, up: (event) => events.push(event) });
  return { events, turn };
}

const text = (value: string): AgentEvent => ({ type: "text_delta", text: value });
const truncated = {
  type: "warning",
  code: "output_truncated",
  message: "ada wrote more than 0 KiB or 3 pieces in one turn; the rest is not shown.",
};

test("content beyond the byte or chunk limit is dropped with one warning; everything else still passes", () => {
  const byPieces = output();
  for (const piece of ["a", "b", "c", "d", "e"]) byPieces.turn.pass(text(piece));
  byPieces.turn.pass({ type: "text_done", text: "abcde" });
  byPieces.turn.settle({ outcome: "completed" });
  expect(byPieces.events).toEqual([
    ...["a", "b", "c"].map(text),
    truncated,
    { type: "text_done" },
    { type: "turn_done", turnId: "t", outcome: "completed" },
  ]);

  const byChars = output();
  byChars.turn.pass(text("a".repeat(101)));
  expect(byChars.events).toEqual([truncated]);
});

test("excess command output does not use up the answer's limit", () => {
  const { events, turn } = output();
  turn.pass({ type: "tool_call_start", nativeId: "1", name: "bash", args: {} });
  turn.pass({ type: "tool_output_delta", nativeId: "1", text: "x".repeat(101) });
  turn.pass({ type: "tool_result", nativeId: "1", ok: true, result: "much" });
  turn.pass(text("It is built."));
  turn.pass({ type: "text_done", text: "It is built." });
  expect(events.slice(1)).toEqual([
    truncated,
    { type: "tool_result", nativeId: "1", ok: true, result: "much" },
    text("It is built."),
    { type: "text_done", text: "It is built." },
  ]);
});

test("a turn ends once, open tools are settled before it, and nothing comes after it", () => {
  const { events, turn } = output();
  turn.pass({ type: "tool_call_start", nativeId: "1", name: "search", args: {} });
  turn.settle({ outcome: "interrupted", reason: "interrupted" });
  turn.settle({ outcome: "completed" });
  turn.pass(text("late"));
  turn.warn("late", "late");
  expect(events.slice(1)).toEqual([
    {
      type: "tool_result",
      nativeId: "1",
      ok: false,
      error: { code: "tool_interrupted", message: "the turn ended before the tool did" },
    },
    { type: "turn_done", turnId: "t", outcome: "interrupted", reason: "interrupted" },
  ]);
});

test("an unreadable line is shown truncated", () => {
  const { events, turn } = output();
  turn.unreadable("x".repeat(1_000_000));
  expect(events).toEqual([
    {
      type: "warning",
      code: "unreadable_line",
      message: "ada wrote a line that is not part of its protocol.",
      detail: `${"x".repeat(RAW_CHARS_MAX)}… (1000000 characters)`,
    },
  ]);
});
