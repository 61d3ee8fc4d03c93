import { expect, test } from "vitest";
import type { DialectEvent } from "../../process/dialect.ts";
import { createPrintDialect } from "./print.ts";

function read(...records: (object | string)[]): DialectEvent[] {
  const dialect = createPrintDialect({ member: "m" });
  let { state } = dialect.begin({ nativeSessionId: undefined });
  return records.flatMap((record) => {
    const step = dialect.parse(state, typeof record === "string" ? record : JSON.stringify(record));
    state = step.state;
    return step.events ?? [];
  });
}

const assistant = (text: string, more: object = {}): object => ({
  type: "assistant",
  message: { role: "assistant", content: [{ type: "text", text }] },
  ...more,
});
const piece = (text: string): object => assistant(text, { timestamp_ms: 1 });
const flush = (text: string): object => assistant(text, { timestamp_ms: 1, model_call_id: "c" });
const whole = (text: string): object => assistant(text);
const delta = (text: string): DialectEvent => ({ type: "text_delta", text });
const done: DialectEvent = { type: "text_done" };

test("a full text after its chunks adds nothing, whether of a passage or of the whole answer", () => {
  expect(read(piece("a"), piece("b"), whole("ab"))).toEqual([delta("a"), delta("b"), done]);
  expect(read(piece("a"), flush("a"), piece("b"), whole("ab"))).toEqual([delta("a"), done, delta("b"), done]);
  expect(read(piece("a"), flush("a"), piece("b"), flush("b"), whole("b"))).toEqual([
    delta("a"),
    done,
    delta("b"),
    done,
  ]);
  expect(read(piece("a"), whole("a"), whole("a"))).toEqual([delta("a"), done]);
});

test("missing chunks are taken from the full text", () => {
  expect(read(whole("all of it"))).toEqual([delta("all of it"), done]);
  expect(read(piece("al"), whole("all"))).toEqual([delta("al"), delta("l"), done]);
  expect(read(piece("a"), flush("a"), whole("ab"))).toEqual([delta("a"), done, delta("b"), done]);
});

test("wrong chunks are replaced by the full text", () => {
  expect(read(piece("helo"), whole("hello"))).toEqual([delta("helo"), { type: "text_done", text: "hello" }]);
});

test("a text that arrives only with the result is not lost", () => {
  expect(read({ type: "result", subtype: "success", is_error: false, result: "late" })).toEqual([
    delta("late"),
    done,
    { type: "turn_over", outcome: "completed" },
  ]);
});

const thought = (text: string): object => ({ type: "thinking", subtype: "delta", text });
const tool = { type: "tool_call", subtype: "started", call_id: "t", tool_call: { readToolCall: { args: {} } } };
const text = (...records: object[]): string[] =>
  read(...records).flatMap((event) => {
    if (event.type === "text_delta") return [event.text];
    return event.type === "text_done"
      ? [event.text === undefined ? "." : `=${event.text}.`]
      : event.type === "text_retracted"
        ? ["<"]
        : [];
  });

test("a passage interrupted by a thought is reported once and in full, also after a tool call", () => {
  const cut = [piece("a"), thought("hm"), piece("b")];
  expect(text(...cut, flush("ab"), tool, ...cut, whole("ab"))).toEqual(["a", ".", "b", ".", "a", ".", "b", "."]);
  expect(text(piece("x"), flush("x"), tool, piece("a"), thought("hm"), whole("ab"))).toEqual([
    "x",
    ".",
    "a",
    ".",
    "b",
    ".",
  ]);
  expect(text(piece("x"), flush("x"), tool, ...cut, thought("hm"), whole("xab"))).toEqual([
    "x",
    ".",
    "a",
    ".",
    "b",
    ".",
  ]);
});

test("wrong chunks of an interrupted passage are replaced by the full text", () => {
  expect(text(piece("x"), tool, piece("helo "), thought("hm"), piece("you"), whole("hello you"))).toEqual([
    "x",
    ".",
    "helo ",
    ".",
    "you",
    "<",
    "<",
    "hello you",
    "=hello you.",
  ]);
});

test("an ending that arrives only with the result is reported, also after a thought", () => {
  const result = { type: "result", subtype: "success", is_error: false, result: "ab" };
  expect(read(piece("a"), thought("hm"), result)).toEqual([
    delta("a"),
    done,
    { type: "thinking_delta", text: "hm" },
    { type: "thinking_done" },
    delta("b"),
    done,
    { type: "turn_over", outcome: "completed" },
  ]);
});

test("an error result ends the turn errored with its message", () => {
  expect(read({ type: "result", subtype: "error", is_error: true, result: "no quota left." })).toEqual([
    {
      type: "turn_over",
      outcome: "errored",
      reason: "agent_error",
      error: { code: "agent_error", message: "m failed: no quota left." },
    },
  ]);
});

test("tools are reported by their own names, with their result or failure", () => {
  const shell = (result: object): object => ({
    type: "tool_call",
    subtype: "completed",
    call_id: "t",
    tool_call: { shellToolCall: { args: { command: "ls" }, result } },
  });
  const start = {
    type: "tool_call_start",
    nativeId: "t",
    name: "shell",
    args: { command: "ls" },
    kind: "execute",
    title: "ls",
  };
  const results = [
    [{ success: { stdout: "a\n", stderr: "", exitCode: 0 } }, { ok: true, result: "a\n" }],
    [
      { failure: { stdout: "", stderr: "bad", exitCode: 1 } },
      { ok: false, error: { code: "tool_error", message: "bad" } },
    ],
    [{ rejected: { reason: "not allowed" } }, { ok: false, error: { code: "tool_denied", message: "not allowed" } }],
  ] as const;
  for (const [given, step] of results) {
    expect(read(shell(given))).toEqual([start, { type: "tool_result", nativeId: "t", ...step }]);
  }
  const named = { function: { name: "custom", arguments: '{"x":1}' } };
  expect(read({ type: "tool_call", subtype: "started", call_id: "f", tool_call: named })).toEqual([
    { type: "tool_call_start", nativeId: "f", name: "custom", args: { x: 1 }, kind: "other" },
  ]);
});

test("unreadable output is shown as such, and unknown records are ignored", () => {
  expect(read("Loading", "[1]", { type: "interaction_query" }, { type: "user" })).toEqual([
    { type: "unreadable" },
    { type: "unreadable" },
  ]);
});
