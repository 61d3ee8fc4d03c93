import { expect, test } from "vitest";
import type { EventDraft, MemberSpec } from "../../../src/protocol/index.ts";
import { empty, fold, type Transcript } from "../../../src/transcript/index.ts";
import { CAPABILITIES } from "../../../test/generate/drafts.ts";
import { stamped, START_TS } from "../../../test/generate/stamped.ts";
import { SessionStream } from "./session-stream.ts";
import type { Line, WireEvent } from "./wire-event.ts";

const capabilities = { ...CAPABILITIES, switchModel: false };

function joined(name: string): EventDraft {
  const spec: MemberSpec = { name, kind: "embedded", model: "small" };
  return { type: "member_joined", member: name, spec, capabilities };
}

function turn(turnId: string, member: string): EventDraft {
  return { type: "turn_start", turnId, member, cause: "user", messageIds: ["m1"], depth: 0, rootMessageId: "m1" };
}

const userMessage = (members: string[]): EventDraft => ({
  type: "user_message",
  messageId: "m1",
  text: "Hello",
  to: members,
  toAll: false,
  attachments: [],
});

function delivery(member: string, state: "pending" | "answered"): EventDraft {
  return { type: "message_delivery", messageId: "m1", member, state };
}

function play(drafts: readonly EventDraft[]): WireEvent[] {
  let transcript: Transcript = empty("session");
  const stream = new SessionStream(transcript);
  const lines: Line[] = [...stream.begin()];
  for (const event of stamped(drafts)) {
    transcript = fold(transcript, [event]);
    lines.push(...stream.show(transcript, [event]));
  }
  expect(lines.map((line) => line["event_seq"])).toStrictEqual(lines.map((_, index) => index));
  return lines.map((line) => line["event"] as WireEvent);
}

const usage = {
  __struct__: "Elixir.Ai.Types.Usage",
  input: 0,
  output: 0,
  cache_read: 0,
  cache_write: 0,
  total_tokens: 0,
  cost: { input: 0, output: 0, cache_read: 0, cache_write: 0, total: 0 },
};

test("one answer in the exact form of the wire", () => {
  const events = play([
    joined("ada"),
    userMessage(["ada"]),
    delivery("ada", "pending"),
    turn("t1", "ada"),
    { type: "text_delta", turnId: "t1", member: "ada", segmentId: "s1", text: "Hel" },
    { type: "text_delta", turnId: "t1", member: "ada", segmentId: "s1", text: "lo" },
    { type: "text_done", turnId: "t1", member: "ada", segmentId: "s1", text: "Hello" },
    {
      type: "turn_end",
      turnId: "t1",
      member: "ada",
      outcome: "completed",
      durationMs: 5,
      usage: { inputTokens: 3, outputTokens: 2, costUsd: 0.5 },
    },
    delivery("ada", "answered"),
  ]);
  const user = {
    __struct__: "Elixir.Ai.Types.UserMessage",
    role: "user",
    content: "@ada Hello",
    timestamp: START_TS + 2000,
  };
  const text = (words: string) => ({
    __struct__: "Elixir.Ai.Types.TextContent",
    type: "text",
    text: words,
    text_signature: null,
  });
  const message = (...content: object[]) => ({
    __struct__: "Elixir.Ai.Types.AssistantMessage",
    role: "assistant",
    content,
    api: "roundtable",
    provider: "ada",
    model: "small",
    usage,
    stop_reason: null,
    error_message: null,
    timestamp: START_TS + 4000,
  });
  const whole = {
    ...message(text("Hello")),
    stop_reason: "stop",
    usage: { ...usage, input: 3, output: 2, total_tokens: 5, cost: { ...usage.cost, total: 0.5 } },
  };
  expect(events).toStrictEqual([
    { type: "agent_start" },
    { type: "message_start", data: [user] },
    { type: "message_end", data: [user] },
    { type: "turn_start" },
    { type: "message_start", data: [message()] },
    { type: "message_update", data: [message(text("Hel")), ["text_delta", 0, "Hel", message(text("Hel"))]] },
    { type: "message_update", data: [message(text("Hello")), ["text_delta", 0, "lo", message(text("Hello"))]] },
    { type: "message_end", data: [whole] },
    { type: "turn_end", data: [whole, []] },
    { type: "agent_end", data: [[user, whole]] },
  ]);
});

test("a second member's message waits until the first has ended, and is then sent whole", () => {
  const events = play([
    joined("ada"),
    joined("bob"),
    userMessage(["ada", "bob"]),
    delivery("ada", "pending"),
    delivery("bob", "pending"),
    turn("t1", "ada"),
    turn("t2", "bob"),
    { type: "text_delta", turnId: "t1", member: "ada", segmentId: "s1", text: "A" },
    { type: "text_delta", turnId: "t2", member: "bob", segmentId: "s2", text: "B1" },
    { type: "text_delta", turnId: "t2", member: "bob", segmentId: "s2", text: "B2" },
    { type: "tool_call_start", turnId: "t2", member: "bob", toolCallId: "c1", name: "read", args: { path: "x" } },
    { type: "turn_end", turnId: "t1", member: "ada", outcome: "completed", durationMs: 5 },
    { type: "tool_result", turnId: "t2", member: "bob", toolCallId: "c1", ok: true, result: "done" },
    { type: "turn_end", turnId: "t2", member: "bob", outcome: "errored", reason: "it broke", durationMs: 5 },
    delivery("ada", "answered"),
    delivery("bob", "answered"),
  ]);
  const told = events.map(({ type, data }) => {
    const [first] = data ?? [];
    return first !== null && typeof first === "object" && "provider" in first
      ? `${type} ${String(first.provider)}`
      : type;
  });
  expect(told).toStrictEqual([
    "agent_start",
    "message_start",
    "message_end",
    "turn_start",
    "message_start ada",
    "message_update ada",
    "message_update ada",
    "message_end ada",
    "turn_end ada",
    "turn_start",
    "message_start bob",
    "message_update bob",
    "message_update bob",
    "message_update bob",
    "message_end bob",
    "tool_execution_start",
    "tool_execution_end",
    "message_start",
    "message_end",
    "turn_end bob",
    "turn_start",
    "message_start bob",
    "message_end bob",
    "turn_end bob",
    "agent_end",
  ]);
});

test("a long answer is sent in steps proportional to its length, so that bytes stay linear", () => {
  const words = Array.from({ length: 3000 }, (_, index): EventDraft => {
    return { type: "text_delta", turnId: "t1", member: "ada", segmentId: "s1", text: `${index} words are more. ` };
  });
  const events = play([
    joined("ada"),
    userMessage(["ada"]),
    delivery("ada", "pending"),
    turn("t1", "ada"),
    ...words,
    { type: "turn_end", turnId: "t1", member: "ada", outcome: "completed", durationMs: 5 },
  ]);
  const updates = events.filter(({ type }) => type === "message_update");
  expect(updates.length).toBeLessThan(1200);
  const deltas = updates.map(({ data = [] }) => (data[1] as unknown[])[2]).join("");
  expect(deltas).toBe(words.map((draft) => (draft.type === "text_delta" ? draft.text : "")).join(""));
});

/** Event sequence, with speakers and user text. */
function told(events: readonly WireEvent[]): string[] {
  return events.map(({ type, data: [first] = [] }) => {
    if (first === null || typeof first !== "object" || !("role" in first)) return type;
    const whose =
      "provider" in first ? first.provider : "content" in first && first.role === "user" ? first.content : first.role;
    return `${type} ${String(whose)}`;
  });
}

test("user messages and tool output that arrive while a message grows are sent after its end", () => {
  const events = play([
    joined("ada"),
    joined("bob"),
    userMessage(["ada", "bob"]),
    turn("t1", "ada"),
    turn("t2", "bob"),
    { type: "tool_call_start", turnId: "t2", member: "bob", toolCallId: "c1", name: "read", args: { path: "x" } },
    { type: "text_delta", turnId: "t1", member: "ada", segmentId: "s1", text: "A" },
    { type: "tool_result", turnId: "t2", member: "bob", toolCallId: "c1", ok: true, result: "done" },
    { type: "user_message", messageId: "m2", text: "Wait", to: ["ada"], toAll: true, attachments: [] },
    { type: "text_delta", turnId: "t1", member: "ada", segmentId: "s1", text: "B" },
    { type: "turn_end", turnId: "t1", member: "ada", outcome: "completed", durationMs: 5 },
  ]);
  const from = events.findIndex(({ type }) => type === "tool_execution_start");
  expect(told(events.slice(from))).toStrictEqual([
    "tool_execution_start",
    "turn_start",
    "message_start ada",
    "message_update ada",
    "message_update ada",
    "tool_execution_end",
    "message_update ada",
    "message_end ada",
    "message_start tool_result",
    "message_end tool_result",
    "message_start Wait",
    "message_end Wait",
    "turn_end ada",
    "turn_end bob",
  ]);
});

test("a steered message ends the current assistant message and stands before the next", () => {
  const from = { turnId: "t1", member: "ada" } as const;
  const events = play([
    joined("ada"),
    userMessage(["ada"]),
    turn("t1", "ada"),
    { type: "text_done", ...from, segmentId: "s1", text: "One" },
    { type: "user_message", messageId: "m2", text: "Hurry", to: ["ada"], toAll: true, attachments: [] },
    { type: "steering", ...from, messageId: "m2" },
    { type: "text_done", ...from, segmentId: "s2", text: "Two" },
    { type: "turn_end", ...from, outcome: "completed", durationMs: 5 },
  ]);
  expect(told(events).filter((one) => one.startsWith("message_end"))).toStrictEqual([
    "message_end @ada Hello",
    "message_end ada",
    "message_end Hurry",
    "message_end ada",
  ]);
});

test("a client that connects during a turn gets what was written meanwhile after the turn's message, as live", () => {
  const from = { turnId: "t1", member: "ada" } as const;
  const later = { ...userMessage(["ada"]), messageId: "m2", text: "Hurry" } as EventDraft;
  const events = stamped([
    joined("ada"),
    userMessage(["ada"]),
    turn("t1", "ada"),
    { type: "text_delta", ...from, segmentId: "s1", text: "One" },
    later,
    { type: "text_done", ...from, segmentId: "s1", text: "One" },
    { type: "turn_end", ...from, outcome: "completed", durationMs: 5 },
  ]);
  const connectedAfter = (count: number) => {
    let transcript = fold(empty("session"), events.slice(0, count));
    const stream = new SessionStream(transcript);
    const lines = [...stream.begin()];
    for (const event of events.slice(count))
      lines.push(...stream.show((transcript = fold(transcript, [event])), [event]));
    const ends = lines.map((line) => line["event"] as WireEvent).filter(({ type }) => type === "message_end");
    return ends.map(({ data }) => (data as [{ role: string; timestamp: number }])[0]);
  };
  const shown = connectedAfter(5).map(({ role, timestamp }) => [role, timestamp]);
  expect(shown).toStrictEqual(connectedAfter(0).map(({ role, timestamp }) => [role, timestamp]));
  expect(shown.map(([role]) => role)).toStrictEqual(["user", "assistant", "user"]);
});

test("arguments that arrive after the start of a call are sent with its progress", () => {
  const call = { turnId: "t1", member: "ada", toolCallId: "c1" } as const;
  const events = play([
    joined("ada"),
    userMessage(["ada"]),
    turn("t1", "ada"),
    { type: "tool_call_start", ...call, name: "read", args: {} },
    { type: "tool_call_update", ...call, args: { path: "a.ts" } },
    { type: "tool_call_update", ...call, title: undefined },
    { type: "tool_result", ...call, ok: true, result: "whole" },
    { type: "turn_end", turnId: "t1", member: "ada", outcome: "completed", durationMs: 5 },
  ]);
  const told = events.filter(({ type }) => type === "tool_execution_start" || type === "tool_execution_update");
  expect(told.map(({ type, data = [] }) => [type, data[2]])).toEqual([
    ["tool_execution_start", {}],
    ["tool_execution_update", { path: "a.ts" }],
  ]);
});

test("the result of a shell tool has its output and whether it failed in its details, too", () => {
  const from = { turnId: "t1", member: "ada" } as const;
  const events = play([
    joined("ada"),
    userMessage(["ada"]),
    turn("t1", "ada"),
    { type: "tool_call_start", ...from, toolCallId: "c1", name: "bash", args: { command: "ls" } },
    { type: "tool_output_delta", ...from, toolCallId: "c1", text: "a\n" },
    { type: "tool_result", ...from, toolCallId: "c1", ok: true, result: "a\nb\n" },
    { type: "tool_call_start", ...from, toolCallId: "c2", name: "bash", args: { command: "false" } },
    { type: "tool_result", ...from, toolCallId: "c2", ok: false, error: { code: "tool_error", message: "no" } },
    { type: "turn_end", ...from, outcome: "completed", durationMs: 5 },
  ]);
  const details = events
    .filter(({ type }) => type === "tool_execution_update" || type === "tool_execution_end")
    .map(({ type, data = [] }) => (data[type === "tool_execution_end" ? 2 : 3] as { details: object }).details);
  expect(details).toMatchObject([
    { exit_code: 0, stdout: "a\n" },
    { exit_code: 0, stdout: "a\nb\n" },
    { exit_code: 1, stdout: "no" },
  ]);
});

test("an answer that was cut off at the output limit stops for its length", () => {
  const from = { turnId: "t1", member: "ada" } as const;
  const cut = { type: "warning", ...from, code: "length", message: "It was cut off." } as const;
  const end = { type: "turn_end", ...from, outcome: "completed", durationMs: 5 } as const;
  const text = (segmentId: string) => ({ type: "text_done", ...from, segmentId, text: "Hal" }) as const;
  const reasonOf = (...drafts: EventDraft[]) => {
    const events = play([joined("ada"), userMessage(["ada"]), turn("t1", "ada"), ...drafts]);
    const last = events.findLast(({ type }) => type === "message_end");
    return (last as unknown as { data: [{ stop_reason: string }] }).data[0].stop_reason;
  };
  expect(reasonOf(text("s1"), cut, end)).toBe("length");
  expect(reasonOf(text("s1"), { ...end, reason: "length" })).toBe("length");
  expect(reasonOf(text("s1"), cut, text("s2"), end)).toBe("stop");
  expect(reasonOf(text("s1"), cut, { ...end, outcome: "interrupted" })).toBe("aborted");
});

test("token counts add up to their total, however a member counts cached tokens", () => {
  const told = (kind: "codex" | "claude", inputTokens: number) => {
    const events = play([
      { type: "member_joined", member: "ada", spec: { name: "ada", kind }, capabilities },
      userMessage(["ada"]),
      turn("t1", "ada"),
      {
        type: "turn_end",
        turnId: "t1",
        member: "ada",
        outcome: "completed",
        durationMs: 5,
        usage: { inputTokens, outputTokens: 10, cacheReadTokens: 60, cacheWriteTokens: 5 },
      },
    ]);
    const [, last] = events.filter(({ type }) => type === "message_end");
    return (last as unknown as { data: [{ usage: object }] }).data[0].usage;
  };
  const parts = { ...usage, input: 35, output: 10, cache_read: 60, cache_write: 5, total_tokens: 110 };
  expect([told("codex", 100), told("claude", 35)]).toEqual([parts, parts]);
});
