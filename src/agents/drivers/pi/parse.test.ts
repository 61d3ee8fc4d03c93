import { describe, expect, test } from "vitest";
import type { Judge } from "../../approvals/approval-source.ts";
import type { DialectEvent, Step } from "../../process/dialect.ts";
import { createPiDialect } from "./parse.ts";
import type { PiState } from "./state.ts";
import { newPart } from "./tools.ts";

const MARK = "roundtable-mark";

/** A conversation with the dialect: lines to Pi and events, since the last read. */
function talk({
  isWritable = true,
  isSandboxed = false,
  resumes = undefined as string | undefined,
  judge = undefined as Judge | undefined,
} = {}) {
  const setup = { cwd: "/p", member: "pi", isWritable, judge, mark: MARK };
  const dialect = createPiDialect({ ...setup, launchModel: () => "fake/one" });
  let state: PiState | undefined;
  let events: DialectEvent[] = [];
  let written: unknown[] = [];
  const take = (step: Step<PiState> | undefined) => {
    if (step === undefined) return;
    ({ state } = step);
    events.push(...(step.events ?? []));
    written.push(...(step.write ?? []).map((text) => JSON.parse(text) as unknown));
  };
  const look = () => {
    const seen = { events, written };
    events = [];
    written = [];
    return seen;
  };
  take(dialect.begin({ nativeSessionId: resumes, isSandboxed }));
  const now = () => state as PiState;
  return {
    look,
    now,
    hears: (...records: object[]) => records.forEach((one) => take(dialect.parse(now(), JSON.stringify(one)))),
    turn: (text: string, model?: string) =>
      take(
        dialect.encodeTurn(now(), {
          kind: "turn",
          turnId: "t",
          text,
          attachments: [],
          ...(model === undefined ? {} : { model }),
        }),
      ),
    steer: (text: string) => take(dialect.encodeSteer?.(now(), { kind: "steer", messageId: "m", text })),
    interrupt: () => take(dialect.encodeInterrupt?.(now())),
    answer: (callId: string, result: boolean | null) =>
      take(dialect.encodeAnswer?.(now(), callId, { result, error: null })),
  };
}

const HELLO = { type: "extension_ui_request", id: "0", method: "setStatus", statusKey: MARK, statusText: "ready" };
const MODEL = { provider: "fake", id: "one", contextWindow: 100 };
const STATE = {
  type: "response",
  command: "get_state",
  success: true,
  data: { sessionId: "s-1", messageCount: 0, model: MODEL },
};
const TAKEN = { type: "response", command: "prompt", success: true, data: { disposition: "started" } };
const START = { type: "agent_start" };
const SETTLED = { type: "agent_settled", aborted: false };
const user = (text: string) => ({ type: "message_start", message: { role: "user", content: text } });

function createAgent() {
  const pi = talk();
  pi.hears(HELLO, STATE);
  pi.look();
  return pi;
}

test("Pi is ready once it has reported its session and our extension is loaded", () => {
  const pi = talk();
  expect(pi.look()).toEqual({
    events: [{ type: "not_ready" }, { type: "member_guard", guard: "asks_first" }],
    written: [{ type: "get_state" }],
  });
  pi.hears(HELLO, STATE);
  expect(pi.look()).toEqual({
    events: [{ type: "member_session", nativeSessionId: "s-1" }, { type: "ready" }],
    written: [{ id: "offer", type: "get_available_models" }],
  });
});

test("a status of another extension does not count as ours", () => {
  const pi = talk();
  pi.hears({ ...HELLO, statusKey: "roundtable" }, STATE);
  pi.look();
  pi.turn("hello");
  expect(pi.look()).toMatchObject({ events: [{ type: "turn_over", reason: "extension_missing" }], written: [] });
});

test("text with a slash goes through our extension, other text unchanged", () => {
  const pi = createAgent();
  pi.turn("/quit now");
  expect(pi.look().written).toEqual([
    { type: "prompt", message: `/${MARK} {"text":"/quit now"}`, streamingBehavior: "followUp" },
  ]);
  pi.hears({ ...TAKEN, data: { disposition: "handled" } }, START, SETTLED);
  expect(pi.look().events).toEqual([{ type: "turn_over", outcome: "completed" }]);
  pi.turn(" /quit");
  expect(pi.look().written).toEqual([{ type: "prompt", message: " /quit", streamingBehavior: "followUp" }]);
});

test("an error of our extension ends the turn errored", () => {
  const pi = createAgent();
  pi.turn("/quit now");
  pi.look();
  pi.hears({ type: "extension_error", extensionPath: "<runtime>", event: "send_user_message", error: "No API key" });
  expect(pi.look().events).toMatchObject([{ type: "turn_over", outcome: "errored", reason: "unauthorized" }]);
});

test("neither the end of a run nor another run going idle ends the turn", () => {
  const pi = createAgent();
  pi.turn("hello");
  pi.look();
  pi.hears(SETTLED, TAKEN, START, { type: "agent_end", messages: [], willRetry: false });
  expect(pi.look().events).toEqual([]);
  pi.hears(SETTLED);
  expect(pi.look().events).toEqual([{ type: "turn_over", outcome: "completed" }]);
});

test("an interrupt clears the queue first and is repeated if the run starts later", () => {
  const pi = createAgent();
  pi.turn("hello");
  pi.look();
  pi.interrupt();
  expect(pi.look().written).toEqual([{ type: "clear_queue" }, { type: "abort" }]);
  pi.hears({ type: "response", command: "abort", success: true }, TAKEN, START);
  expect(pi.look()).toEqual({ events: [], written: [{ type: "abort" }] });
  pi.hears({ type: "agent_settled", aborted: true });
  expect(pi.look().events).toEqual([{ type: "turn_over", outcome: "interrupted", reason: "interrupted" }]);
});

test("an interrupt during a model switch ends the turn before the prompt is sent", () => {
  const pi = createAgent();
  pi.turn("hello", "other");
  expect(pi.look().written).toEqual([{ type: "get_available_models" }]);
  pi.interrupt();
  expect(pi.look()).toEqual({
    events: [{ type: "turn_over", outcome: "interrupted", reason: "interrupted" }],
    written: [],
  });
});

test("a steer counts as accepted when Pi passes it to its model", () => {
  const pi = createAgent();
  pi.turn("hello");
  pi.hears(TAKEN, START, user("hello"));
  pi.look();
  pi.steer("more");
  expect(pi.look().written).toEqual([{ id: "steer-0", type: "steer", message: "more" }]);
  pi.hears({ id: "steer-0", type: "response", command: "steer", success: true });
  expect(pi.look().events).toEqual([]);
  pi.hears(user("more, reworded"));
  expect(pi.look().events).toEqual([{ type: "steered", messageId: "m" }]);
});

test("an unread steer is removed from Pi's queue, also when Pi answers late", () => {
  const pi = createAgent();
  pi.turn("hello");
  pi.hears(TAKEN, START, user("hello"));
  pi.steer("more");
  pi.look();
  pi.hears(SETTLED);
  expect(pi.look()).toEqual({
    events: [{ type: "turn_over", outcome: "completed" }],
    written: [{ type: "clear_queue" }],
  });
  pi.hears({ id: "steer-0", type: "response", command: "steer", success: true });
  expect(pi.look().written).toEqual([{ type: "clear_queue" }]);
});

test("a dialog outside a turn is cancelled, and a notice is shown", () => {
  const pi = createAgent();
  pi.hears(
    { type: "extension_ui_request", id: "1", method: "confirm", title: "sure?", message: "" },
    { type: "extension_ui_request", id: "2", method: "notify", message: "by the way" },
    { type: "extension_ui_request", id: "3", method: "setTitle", title: "x" },
  );
  expect(pi.look()).toEqual({
    events: [{ type: "ui_notify", message: "by the way", notifyType: "info" }],
    written: [{ type: "extension_ui_response", id: "1", cancelled: true }],
  });
});

test("a question without our mark is never an approval, whatever it says", () => {
  const pi = createAgent();
  pi.turn("hello");
  pi.look();
  const placeholder = JSON.stringify({ kind: "approval", callId: "c", tool: "bash", args: { command: "ls" } });
  pi.hears({ type: "extension_ui_request", id: "1", method: "input", title: "roundtable", placeholder });
  expect(pi.look().events).toEqual([
    { type: "request", callId: "1", request: { method: "input", title: "roundtable", placeholder } },
  ]);
});

test("an approval of a file shows what would change", () => {
  const pi = createAgent();
  pi.turn("hello");
  pi.look();
  const ask = (tool: string, args: object, before: string | undefined) =>
    pi.hears({
      type: "extension_ui_request",
      id: tool,
      method: "input",
      title: MARK,
      placeholder: JSON.stringify({ kind: "approval", callId: "c", tool, args, before }),
    });
  ask("write", { path: "a.txt", content: "one\nthree\nfour\n" }, "one\ntwo\nfour\n");
  ask("edit", { path: "a.txt", edits: [{ oldText: "x", newText: "y\nz" }] }, undefined);
  const diffs = pi.look().events.map((event) => "request" in event && "diff" in event.request && event.request.diff);
  expect(diffs).toEqual(["--- a.txt\n+++ a.txt\n@@ @@\n-two\n+three", "--- a.txt\n+++ a.txt\n@@ @@\n-x\n+y\n+z"]);
});

test("a command that looks like JSON is shown inside JSON, so that it reads as the command", () => {
  const pi = createAgent();
  pi.turn("hello");
  pi.look();
  const commands = ['{"command":"git status","description":"$(id)"}', "git status"];
  for (const [at, command] of commands.entries()) {
    const placeholder = JSON.stringify({ kind: "approval", callId: "c", tool: "bash", args: { command } });
    pi.hears({ type: "extension_ui_request", id: String(at), method: "input", title: MARK, placeholder });
  }
  const calls = pi.look().events.map((event) => "request" in event && "call" in event.request && event.request.call);
  expect(calls).toEqual([JSON.stringify({ command: commands[0] }), "git status"]);
});

test("thinking that a provider ends late is closed once, where the text started", () => {
  const pi = createAgent();
  pi.turn("hello");
  pi.hears(TAKEN, START, { type: "message_start", message: { role: "assistant" } });
  pi.look();
  const update = (assistantMessageEvent: object) => ({ type: "message_update", assistantMessageEvent });
  const content = [
    { type: "thinking", thinking: "hm" },
    { type: "text", text: "so" },
    { type: "text", text: "and whole" },
  ];
  pi.hears(
    update({ type: "thinking_delta", contentIndex: 0, delta: "hm" }),
    update({ type: "text_delta", contentIndex: 1, delta: "so" }),
    update({ type: "thinking_end", contentIndex: 0, content: "hm" }),
    update({ type: "text_end", contentIndex: 1, content: "so" }),
    { type: "message_end", message: { role: "assistant", content, stopReason: "stop" } },
  );
  expect(pi.look().events).toEqual([
    { type: "thinking_delta", text: "hm" },
    { type: "thinking_done" },
    { type: "text_delta", text: "so" },
    { type: "text_done", text: "so" },
    { type: "text_delta", text: "and whole" },
    { type: "text_done", text: "and whole" },
    { type: "usage", usage: { inputTokens: 0, outputTokens: 0 } },
  ]);
});

test("an incomplete call is settled when the answer breaks off", () => {
  const pi = createAgent();
  pi.turn("hello");
  pi.hears(TAKEN, START, { type: "message_start", message: { role: "assistant" } });
  pi.look();
  const call = { type: "toolcall_start", contentIndex: 0, id: "c", toolName: "bash" };
  const failed = { role: "assistant", content: [], stopReason: "error", errorMessage: "gone" };
  pi.hears({ type: "message_update", assistantMessageEvent: call }, { type: "message_end", message: failed });
  expect(pi.look().events.filter(({ type }) => type.startsWith("tool_"))).toEqual([
    { type: "tool_call_start", nativeId: "c", name: "bash", args: {}, kind: "execute" },
    {
      type: "tool_result",
      nativeId: "c",
      ok: false,
      error: { code: "tool_retracted", message: "the answer broke off before the tool was called" },
    },
  ]);
});

test("in a read-only session a missing tool counts as denied", () => {
  for (const [isWritable, code] of [
    [false, "tool_denied"],
    [true, "tool_error"],
  ] as const) {
    const pi = talk({ isWritable });
    pi.hears(HELLO, STATE);
    pi.turn("hello");
    const call = { toolCallId: "c", toolName: "bash" };
    const result = { content: [{ type: "text", text: "Tool bash not found" }] };
    pi.hears(TAKEN, START, { type: "tool_execution_start", ...call, args: {} });
    pi.look();
    pi.hears({ type: "tool_execution_end", ...call, result, isError: true });
    expect(pi.look().events).toMatchObject([{ type: "tool_result", error: { code, message: "Tool bash not found" } }]);
  }
});

test("output that is repeated in full or from a later start is reported once", () => {
  const long = "line of text\n".repeat(100);
  expect(newPart("", "a")).toBe("a");
  expect(newPart("a\n", "a\nb\n")).toBe("b\n");
  expect(newPart(long, `${long.slice(500)}new\n`)).toBe("new\n");
  expect(newPart("abc", "xyz")).toBe("\nxyz");
});

const BEGUN = { type: "message_start", message: { role: "assistant", content: [] } };
const piece = (type: string, contentIndex: number, more: object) => ({
  type: "message_update",
  assistantMessageEvent: { type, contentIndex, ...more },
});
const answer = (stopReason: string, ...content: object[]) => ({
  type: "message_end",
  message: { role: "assistant", stopReason, content, usage: {} },
});
const spoken = (events: readonly DialectEvent[]) => events.filter(({ type }) => /^(text|thinking)_/.test(type));

test("text that continues after a thought is reported in full, once", () => {
  const pi = createAgent();
  pi.turn("hello");
  pi.hears(TAKEN, START, BEGUN);
  pi.hears(piece("text_delta", 0, { delta: "One. " }), piece("thinking_delta", 1, { delta: "hm" }));
  pi.hears(piece("text_delta", 0, { delta: "Two." }), piece("text_end", 0, { content: "One. Two." }));
  pi.hears(piece("thinking_end", 1, { content: "hm" }));
  pi.hears(answer("stop", { type: "text", text: "One. Two." }, { type: "thinking", thinking: "hm" }), SETTLED);
  expect(spoken(pi.look().events)).toEqual([
    { type: "text_delta", text: "One. " },
    { type: "text_done" },
    { type: "thinking_delta", text: "hm" },
    { type: "thinking_done" },
    { type: "text_delta", text: "Two." },
    { type: "text_done", text: "Two." },
  ]);
});

test("all text of a retried answer is retracted, also after a compaction", () => {
  const ways = [
    { type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 1, errorMessage: "broken" },
    { type: "compaction_end", reason: "overflow", result: { summary: "s" }, willRetry: true },
  ];
  for (const way of ways) {
    const pi = createAgent();
    pi.turn("hello");
    pi.hears(TAKEN, START, BEGUN, piece("text_delta", 0, { delta: "a" }), piece("thinking_delta", 1, { delta: "b" }));
    const said = [
      { type: "text", text: "a" },
      { type: "thinking", thinking: "b" },
      { type: "text", text: "c" },
    ];
    pi.hears(piece("text_delta", 2, { delta: "c" }), answer("length", ...said));
    pi.look();
    pi.hears(way);
    expect(spoken(pi.look().events).map(({ type }) => type)).toEqual(["text_retracted", "text_retracted"]);
  }
});

test("an answer that Pi keeps when it compacts stays", () => {
  const pi = createAgent();
  pi.turn("hello");
  pi.hears(TAKEN, START, BEGUN, piece("text_delta", 0, { delta: "a" }), answer("stop", { type: "text", text: "a" }));
  pi.look();
  pi.hears({ type: "compaction_end", reason: "threshold", result: { summary: "s" }, willRetry: false });
  expect(spoken(pi.look().events)).toEqual([]);
});

test("a retried summary retracts nothing, nor does a retry after a complete answer", () => {
  const retry = { attempt: 1, maxAttempts: 3, delayMs: 1, errorMessage: "overloaded" };
  const ways: { stopReason: string; way: object }[] = [
    { stopReason: "stop", way: { type: "summarization_retry_scheduled", ...retry } },
    { stopReason: "toolUse", way: { type: "auto_retry_start", ...retry } },
    { stopReason: "toolUse", way: { type: "agent_end", willRetry: true } },
  ];
  for (const { stopReason, way } of ways) {
    const pi = createAgent();
    pi.turn("hello");
    pi.hears(TAKEN, START, BEGUN, piece("text_delta", 0, { delta: "a" }));
    pi.hears(answer(stopReason, { type: "text", text: "a" }), way, SETTLED);
    const { events } = pi.look();
    expect(spoken(events)).toEqual([
      { type: "text_delta", text: "a" },
      { type: "text_done", text: "a" },
    ]);
    expect(events.at(-1)).toMatchObject({ type: "turn_over", outcome: "completed" });
  }
});

test("a retry retracts the text of its own attempt only", () => {
  const pi = createAgent();
  pi.turn("hello");
  pi.hears(TAKEN, START, BEGUN, answer("toolUse", { type: "text", text: "I look." }), BEGUN);
  pi.hears(piece("text_delta", 0, { delta: "The" }), answer("error", { type: "text", text: "The" }));
  pi.look();
  pi.hears({ type: "agent_end", willRetry: true }, { type: "auto_retry_start", attempt: 1, maxAttempts: 3 });
  expect(spoken(pi.look().events).map(({ type }) => type)).toEqual(["text_retracted"]);
});

test("the finished message wins, also where an extension rewrote or dropped streamed text", () => {
  const told = (...blocks: object[]): unknown[] => {
    const pi = createAgent();
    pi.turn("hello");
    pi.hears(TAKEN, START, BEGUN, piece("text_delta", 0, { delta: "key 123" }));
    pi.hears(piece("text_end", 0, { content: "key 123" }), piece("text_delta", 2, { delta: "so" }));
    pi.look();
    pi.hears(answer("stop", ...blocks), SETTLED);
    return spoken(pi.look().events);
  };
  const back = { type: "text_retracted", reason: "the answer was rewritten" };
  const anew = (text: string): object[] => [
    { type: "text_delta", text },
    { type: "text_done", text },
  ];
  const thought = { type: "thinking", thinking: "" };
  expect(told({ type: "text", text: "key ***" }, thought, { type: "text", text: "so" })).toEqual([
    { type: "text_done" },
    back,
    back,
    ...anew("key ***"),
    ...anew("so"),
  ]);
  expect(told({ type: "text", text: "key 123" })).toEqual([{ type: "text_done" }, back, back, ...anew("key 123")]);
  const longer = "key 123, and a footer";
  expect(told({ type: "text", text: longer })).toEqual([{ type: "text_done" }, back, back, ...anew(longer)]);
  expect(told({ type: "text", text: "key 123" }, thought, { type: "text", text: "So!" })).toEqual([
    { type: "text_done", text: "So!" },
  ]);
});

test("a truncated message shorter than what was streamed retracts nothing", () => {
  const pi = createAgent();
  pi.turn("hello");
  pi.hears(TAKEN, START, BEGUN, piece("text_delta", 0, { delta: "half" }));
  pi.interrupt();
  pi.hears(answer("aborted"), { ...SETTLED, aborted: true });
  expect(spoken(pi.look().events)).toEqual([{ type: "text_delta", text: "half" }, { type: "text_done" }]);
});

const dialog = (id: string) => ({ type: "extension_ui_request", id, method: "confirm", title: "Sure?", message: "" });
const call = (id: string) => ({
  type: "extension_ui_request",
  id,
  method: "input",
  title: MARK,
  placeholder: JSON.stringify({ kind: "approval", callId: "c", tool: "bash", args: { command: "ls" } }),
});

test("requests in a run started by a Pi extension are refused at once", () => {
  const pi = createAgent();
  pi.hears(START, BEGUN, dialog("d"), call("a"));
  const { events, written } = pi.look();
  expect(events).toEqual([]);
  expect(written).toEqual(["d", "a"].map((id) => ({ type: "extension_ui_response", id, cancelled: true })));
});

test("a confirmation is answered with yes, no or cancelled", () => {
  const pi = createAgent();
  pi.turn("hello");
  pi.hears(TAKEN, START, dialog("yes"), dialog("no"), dialog("none"));
  pi.look();
  pi.answer("yes", true);
  pi.answer("no", false);
  pi.answer("none", null);
  expect(pi.look().written).toEqual([
    { type: "extension_ui_response", id: "yes", confirmed: true },
    { type: "extension_ui_response", id: "no", confirmed: false },
    { type: "extension_ui_response", id: "none", cancelled: true },
  ]);
});

test("requests open when a turn ends or is stopped are refused once", () => {
  const refused = [
    { type: "extension_ui_response", id: "d", confirmed: false },
    {
      type: "extension_ui_response",
      id: "a",
      value: JSON.stringify({ isAllowed: false, why: "The user did not allow this call." }),
    },
  ];
  const pi = createAgent();
  const ask = () => {
    pi.turn("hello");
    pi.hears(TAKEN, START, dialog("d"), call("a"));
    expect(pi.look().events.map(({ type }) => type)).toEqual(["request", "request"]);
  };
  ask();
  pi.hears(SETTLED);
  expect(pi.look().written).toEqual(refused);
  ask();
  pi.interrupt();
  expect(pi.look().written).toEqual([{ type: "clear_queue" }, { type: "abort" }, ...refused]);
  pi.hears({ ...SETTLED, aborted: true });
  expect(pi.look().written).toEqual([]);
});

describe("a read-only session", () => {
  const ask = (tool: string, command: string) => ({
    type: "extension_ui_request",
    id: "a",
    method: "input",
    title: MARK,
    placeholder: JSON.stringify({ kind: "approval", callId: "c", tool, args: { command } }),
  });
  const start = { type: "tool_execution_start", toolCallId: "c", toolName: "bash", args: { command: "rm x" } };
  const judge: Judge = ({ subjects }) =>
    subjects.some(({ text }) => text.startsWith("rm")) ? { verdict: "deny", by: "deny shell: rm *" } : undefined;

  function decided(isSandboxed: boolean, tool: string, command: string): unknown {
    const pi = talk({ isWritable: false, isSandboxed, judge });
    pi.hears(HELLO, STATE);
    pi.turn("hello");
    pi.hears(TAKEN, START, start);
    pi.look();
    pi.hears(ask(tool, command));
    const { events, written } = pi.look();
    expect(events.filter(({ type }) => type === "request")).toEqual([]);
    const [{ value } = { value: "{}" }] = written as { value: string }[];
    return (JSON.parse(value) as { isAllowed?: boolean }).isAllowed;
  }

  test("never asks: inside a sandbox commands run unless a rule denies them, without one nothing runs", () => {
    expect(decided(true, "bash", "ls")).toBe(true);
    expect(decided(true, "bash", "rm x")).toBe(false);
    expect(decided(true, "write", "ls")).toBe(false);
    expect(decided(false, "bash", "ls")).toBe(false);
  });

  test("a command denied by a rule is shown as denied, with the rule, whatever Pi reports", () => {
    const pi = talk({ isWritable: false, isSandboxed: true, judge });
    pi.hears(HELLO, STATE);
    pi.turn("hello");
    pi.hears(TAKEN, START, start, ask("bash", "rm x"));
    pi.hears({ type: "tool_execution_end", toolCallId: "c", toolName: "bash", result: {}, isError: false });
    const { events } = pi.look();
    expect(events.at(-2)).toMatchObject({ nativeId: "c", detail: "Denied without asking: deny shell: rm *" });
    expect(events.at(-1)).toMatchObject({ type: "tool_result", ok: false, error: { code: "tool_denied" } });
  });

  test("reports its guard, unless a sandbox guards it", () => {
    const guards = (isSandboxed: boolean) =>
      talk({ isWritable: false, isSandboxed })
        .look()
        .events.flatMap((event) => (event.type === "member_guard" ? event.guard : []));
    expect([guards(false), guards(true)]).toEqual([["own_mode"], []]);
  });
});
