/** What the program takes back, or never gave, after it was shown. */
import { expect, test } from "vitest";
import { asked, assistant, result, stream, textDelta, textStart, type Fields } from "./talk.ts";

const text = (uuid: string, words: string, more: Fields = {}): Fields =>
  assistant([{ type: "text", text: words }], { uuid, ...more });
const call = (uuid: string): Fields =>
  assistant([{ type: "tool_use", id: "call", name: "Bash", input: { command: "ls" } }], { uuid });

const GONE = { type: "text_retracted", reason: "the answer was taken back" };
const said = (words: string): Fields[] => [
  { type: "text_delta", text: words },
  { type: "text_done", text: words },
];

test("an answer that is taken back is gone with its texts, and its call that never ran is over once", () => {
  const ways: Fields[] = [
    { type: "system", subtype: "model_refusal_fallback", retracted_message_uuids: ["a", "b", "c"] },
    { type: "user", isSynthetic: true, retracted_message_uuids: ["a", "b", "c"], message: { content: [] } },
    assistant([], { uuid: "d", supersedes: ["a", "b", "c", "unknown"] }),
  ];
  for (const way of ways) {
    const talk = asked().hear(text("a", "One."), text("b", "Two."), call("c"));
    talk.look();
    const error = { code: "tool_interrupted", message: "the answer was taken back" };
    expect(talk.hear(way).look().events).toEqual([
      GONE,
      GONE,
      { type: "tool_result", nativeId: "call", ok: false, error },
    ]);
    // Told again, it is no news.
    expect(talk.hear(way).look().events).toEqual([]);
  }
});

test("what stands after a text that is taken back is told again, the streamed one by its own record", () => {
  const talk = asked().hear(text("a", "One."), text("b", "Two."), text("c", "Three."));
  talk.hear(textStart(), textDelta("Fo")).look();
  expect(talk.hear(text("d", "Four.", { supersedes: ["b"] })).look().events).toEqual([
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
  const { events } = asked().hear(notice("info"), notice("suggestion"), notice("notice"), notice("warning")).look();
  const warning = { type: "warning", code: "claude", message: "Mind this." };
  expect(events).toEqual([warning, warning]);
});

test("blanks that get no record are taken back at the end, words that get none stay", () => {
  const ending = (words: string): string[] => {
    const talk = asked().hear(textStart(), textDelta("  "), textDelta(words), stream({ type: "message_stop" }));
    return talk
      .hear(result({ result: "" }))
      .look()
      .events.flatMap(({ type }) => (type.startsWith("text_") ? [type] : []));
  };
  expect(ending("\n")).toEqual(["text_delta", "text_delta", "text_retracted"]);
  expect(ending("word")).toEqual(["text_delta", "text_delta", "text_done"]);
});
