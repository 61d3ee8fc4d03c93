/** What the program takes back, or never gave, after it was shown. */
import { expect, test } from "vitest";
import { startedTurn, assistant, result, stream, textDelta, textStart, type Fields } from "./conversation.ts";

const text = (uuid: string, text: string, more: Fields = {}): Fields =>
  assistant([{ type: "text", text }], { uuid, ...more });
const call = (uuid: string): Fields =>
  assistant([{ type: "tool_use", id: "call", name: "Bash", input: { command: "ls" } }], { uuid });

const GONE = { type: "text_retracted", reason: "the answer was retracted" };
const said = (text: string): Fields[] => [
  { type: "text_delta", text },
  { type: "text_done", text },
];

test("retracts the texts of a withdrawn answer and closes its pending call once", () => {
  const ways: Fields[] = [
    { type: "system", subtype: "model_refusal_fallback", retracted_message_uuids: ["a", "b", "c"] },
    { type: "user", isSynthetic: true, retracted_message_uuids: ["a", "b", "c"], message: { content: [] } },
    assistant([], { uuid: "d", supersedes: ["a", "b", "c", "unknown"] }),
  ];
  for (const way of ways) {
    const conversation = startedTurn().receive(text("a", "One."), text("b", "Two."), call("c"));
    conversation.drain();
    const error = { code: "tool_interrupted", message: "the answer was retracted" };
    expect(conversation.receive(way).drain().events).toEqual([
      GONE,
      GONE,
      { type: "tool_result", nativeId: "call", ok: false, error },
    ]);
    // Told again, it is no news.
    expect(conversation.receive(way).drain().events).toEqual([]);
  }
});

test("repeats what follows a retracted text, the streamed one by its own record", () => {
  const conversation = startedTurn().receive(text("a", "One."), text("b", "Two."), text("c", "Three."));
  conversation.receive(textStart(), textDelta("Fo")).drain();
  expect(conversation.receive(text("d", "Four.", { supersedes: ["b"] })).drain().events).toEqual([
    GONE,
    GONE,
    GONE,
    ...said("Three."),
    ...said("Four."),
  ]);
});

test("what the program would show its user is a warning, and its tips are not", () => {
  const notice = (level: string): Fields => ({
    type: "system",
    subtype: "informational",
    level,
    content: "Mind this.",
  });
  const { events } = startedTurn()
    .receive(notice("info"), notice("suggestion"), notice("notice"), notice("warning"))
    .drain();
  const warning = { type: "warning", code: "claude", message: "Mind this." };
  expect(events).toEqual([warning, warning]);
});

test("blanks that get no record are taken back at the end, words that get none stay", () => {
  const ending = (text: string): string[] => {
    const conversation = startedTurn().receive(
      textStart(),
      textDelta("  "),
      textDelta(text),
      stream({ type: "message_stop" }),
    );
    return conversation
      .receive(result({ result: "" }))
      .drain()
      .events.flatMap(({ type }) => (type.startsWith("text_") ? [type] : []));
  };
  expect(ending("\n")).toEqual(["text_delta", "text_delta", "text_retracted"]);
  expect(ending("word")).toEqual(["text_delta", "text_delta", "text_done"]);
});
