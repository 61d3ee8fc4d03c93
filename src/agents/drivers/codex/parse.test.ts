import { expect, test } from "vitest";
import { dialect, running, Conversation } from "../../../../test/agents/codex/conversation.ts";
import { RESULT_HEAD_CHARS, RESULT_TAIL_CHARS } from "./turn/tool-items.ts";

test("an interrupt before the turn was sent ends it at once, and its text is never sent", () => {
  const talk = new Conversation().send("secret").interrupt();
  expect(talk.ends()).toEqual([{ type: "turn_over", outcome: "interrupted", reason: "interrupted" }]);
  talk.receive({ id: "a.1", result: { thread: { id: "t" } } });
  expect(talk.methods()).toEqual(["thread/start"]);
  talk.send("next", "turn-2");
  expect(talk.methods()).toEqual(["thread/start", "turn/start"]);
});

test("an interrupt before Codex has started the turn is sent once it has, and cleanup precedes the end", () => {
  const talk = new Conversation().send().receive({ id: "a.1", result: { thread: { id: "t" } } });
  talk.interrupt().interrupt();
  expect(talk.methods()).toEqual(["thread/start", "turn/start"]);
  talk.receive({ id: "a.2", result: { turn: { id: "n" } } });
  talk.receive({ id: "a.3", result: {} });
  talk.notify("turn/completed", { turn: { id: "n", status: "interrupted" } });
  expect(talk.methods()).toEqual(["thread/start", "turn/start", "turn/interrupt", "thread/backgroundTerminals/clean"]);
  expect(talk.ends()).toEqual([]);
  talk.receive({ id: "a.4", result: {} });
  expect(talk.ends()).toEqual([{ type: "turn_over", outcome: "interrupted", reason: "interrupted" }]);
});

test("a rejected interrupt or cleanup still ends the turn", () => {
  const talk = running()
    .notify("turn/started", { turn: { id: "n" } })
    .interrupt();
  talk.receive({ id: "a.3", error: { code: 1, message: "no active turn" } });
  talk.receive({ id: "a.4", error: { code: 1, message: "no terminals here" } });
  expect(talk.events.map((event) => (event.type === "warning" ? event.code : event.type))).toEqual([
    "status",
    "left_behind",
    "turn_over",
  ]);
});

test("a subagent in its own thread is a tool call with a result", () => {
  const talk = running();
  const item = { type: "subAgentActivity", id: "c", kind: "started", agentThreadId: "sub", agentPath: "/root/look" };
  talk.notify("item/started", { item }).notify("item/completed", { item });
  expect(talk.events).toEqual([
    {
      type: "tool_call_start",
      nativeId: "c",
      name: "subagent",
      args: { agent: "/root/look", activity: "started" },
      title: "/root/look started",
      kind: "agent",
    },
    { type: "tool_result", nativeId: "c", ok: true },
  ]);
});

test("a turn with nothing left to interrupt ends with its own outcome and usage", () => {
  const begun = () => running().notify("turn/started", { turn: { id: "n" } });
  const counts = { inputTokens: 5, outputTokens: 2, cachedInputTokens: 0, reasoningOutputTokens: 0, totalTokens: 7 };
  const usage = { total: counts, last: counts, modelContextWindow: 100 };
  const refusal = { id: "a.3", error: { code: -32_600, message: "no active turn to interrupt" } };
  const late = begun().notify("thread/tokenUsage/updated", { tokenUsage: usage }).interrupt().receive(refusal);
  late.receive({ id: "a.4", result: {} }).notify("turn/completed", { turn: { id: "n", status: "completed" } });
  expect(late.ends()).toMatchObject([{ outcome: "completed", usage: { inputTokens: 5, outputTokens: 2 } }]);
  const failed = begun()
    .notify("error", { willRetry: false, error: { message: "out of order" } })
    .interrupt();
  failed.receive(refusal).receive({ id: "a.4", result: {} });
  expect(failed.ends()).toMatchObject([{ outcome: "errored", error: { message: "ann failed: out of order." } }]);
  const restarted = begun().interrupt().receive(refusal);
  restarted.notify("turn/completed", { turn: { id: "n", status: "completed" } }).receive({ id: "a.4", result: {} });
  expect(restarted.ends()).toEqual([{ type: "turn_over", outcome: "completed" }]);
  const never = running()
    .notify("error", { willRetry: false, error: { message: "not today" } })
    .interrupt();
  never.receive(refusal).receive({ id: "a.4", result: {} });
  expect(never.ends()).toEqual([{ type: "turn_over", outcome: "interrupted", reason: "interrupted" }]);
});

test("a token count that restarts in mid-turn does not reduce the turn's usage", () => {
  const counted = (inputTokens: number, outputTokens: number) => {
    const counts = { inputTokens, outputTokens, cachedInputTokens: 0, reasoningOutputTokens: 0, totalTokens: 0 };
    return { tokenUsage: { total: counts, last: counts, modelContextWindow: 100 } };
  };
  const talk = running().notify("turn/started", { turn: { id: "n" } });
  for (const params of [counted(5, 2), counted(0, 0), counted(3, 1)]) talk.notify("thread/tokenUsage/updated", params);
  talk.notify("turn/completed", { turn: { id: "n", status: "completed" } });
  expect(talk.ends()).toMatchObject([{ usage: { inputTokens: 8, outputTokens: 3 } }]);
});

test("late answers and chunks of an ended turn do not join the next one", () => {
  const talk = running().interrupt();
  talk.notify("turn/completed", { turn: { id: "n", status: "completed" } });
  talk.send("next", "turn-2");
  talk.receive({ id: "a.3", error: { code: 1, message: "no active turn" } });
  talk.notify("item/agentMessage/delta", { itemId: "m", delta: "late" });
  talk.notify("turn/completed", { turn: { id: "n", status: "completed" } });
  expect(talk.events).toEqual([{ type: "turn_over", outcome: "completed" }]);
  expect(talk.methods()).toEqual(["turn/interrupt", "turn/start"]);
});

test("steers wait for the turn's id, and one that Codex refuses is not reported as accepted", () => {
  const talk = new Conversation().send().steer("m1").steer("m2");
  talk.receive({ id: "a.1", result: { thread: { id: "t" } } }).receive({ id: "a.2", result: { turn: { id: "n" } } });
  expect(
    talk.sent.slice(2).map(({ method, params }) => [method, (params as { expectedTurnId: string }).expectedTurnId]),
  ).toEqual([
    ["turn/steer", "n"],
    ["turn/steer", "n"],
  ]);
  talk.receive({ id: "a.3", error: { code: 1, message: "not now" } }).receive({ id: "a.4", result: { turnId: "n" } });
  expect(talk.events.filter(({ type }) => type === "steered")).toEqual([{ type: "steered", messageId: "m2" }]);
});

test("a thread that Codex has closed is resumed with the next turn", () => {
  const talk = running();
  talk
    .notify("turn/completed", { turn: { id: "n", status: "completed" } })
    .notify("thread/closed", {})
    .send("next", "turn-2");
  expect(talk.sent.map(({ method, params }) => [method, (params as { threadId: string }).threadId])).toEqual([
    ["thread/resume", "t"],
  ]);
});

test("a message without deltas is one text, an empty one is none, and two messages are two texts", () => {
  const talk = running();
  talk.notify("item/completed", { item: { type: "agentMessage", id: "1", text: "whole" } });
  talk.notify("item/completed", { item: { type: "agentMessage", id: "2", text: "" } });
  talk.notify("item/agentMessage/delta", { itemId: "3", delta: "one" });
  talk.notify("item/agentMessage/delta", { itemId: "4", delta: "two" });
  expect(talk.events).toEqual([
    { type: "text_delta", text: "whole" },
    { type: "text_done", text: "whole" },
    { type: "text_delta", text: "one" },
    { type: "text_done" },
    { type: "text_delta", text: "two" },
  ]);
});

test("the parts of a reasoning summary are paragraphs, and raw thoughts are not mixed in", () => {
  const talk = running();
  const summary = (summaryIndex: number, delta: string) =>
    talk.notify("item/reasoning/summaryTextDelta", { itemId: "r", summaryIndex, delta });
  summary(0, "first");
  talk.notify("item/reasoning/textDelta", { itemId: "r", contentIndex: 0, delta: "raw" });
  summary(1, "second");
  talk.notify("item/completed", {
    item: { type: "reasoning", id: "r", summary: ["first", "second"], content: ["raw"] },
  });
  talk.notify("item/completed", { item: { type: "reasoning", id: "s", summary: [], content: [] } });
  expect(talk.events).toEqual([
    { type: "thinking_delta", text: "first" },
    { type: "thinking_delta", text: "\n\nsecond" },
    { type: "thinking_done", text: "first\n\nsecond" },
  ]);
});

test("searches, subagents and images are tool calls; a subagent's own text is not shown", () => {
  const talk = running();
  const items = [
    { type: "webSearch", id: "w", query: "codex" },
    {
      type: "collabAgentToolCall",
      id: "c",
      tool: "spawnAgent",
      prompt: "look",
      receiverThreadIds: ["sub"],
      status: "completed",
      agentsStates: { sub: { message: "found it" } },
    },
    { type: "imageView", id: "i", path: "/p/a.png" },
    {
      type: "mcpToolCall",
      id: "m",
      server: "hub",
      tool: "do",
      arguments: [1],
      status: "failed",
      error: { message: "no" },
    },
  ];
  for (const item of items) talk.notify("item/started", { item });
  talk.receive({
    method: "item/agentMessage/delta",
    params: { threadId: "sub", turnId: "n", itemId: "x", delta: "psst" },
  });
  for (const item of items) talk.notify("item/completed", { item });
  expect(talk.events).toEqual([
    {
      type: "tool_call_start",
      nativeId: "w",
      name: "web_search",
      args: { query: "codex" },
      title: "codex",
      kind: "search",
    },
    {
      type: "tool_call_start",
      nativeId: "c",
      name: "spawnAgent",
      args: { prompt: "look", receivers: ["sub"] },
      title: "look",
      kind: "agent",
    },
    {
      type: "tool_call_start",
      nativeId: "i",
      name: "view_image",
      args: { path: "/p/a.png" },
      title: "/p/a.png",
      kind: "read",
    },
    { type: "tool_call_start", nativeId: "m", name: "hub.do", args: [1], kind: "other" },
    { type: "tool_result", nativeId: "w", ok: true },
    { type: "tool_result", nativeId: "c", ok: true, result: "found it" },
    { type: "tool_result", nativeId: "i", ok: true },
    { type: "tool_result", nativeId: "m", ok: false, result: "", error: { code: "tool_error", message: "no" } },
  ]);
});

test("a read-only command is shown as reading, and a failed one has its exit code", () => {
  const talk = running();
  const read = {
    type: "commandExecution",
    id: "c",
    command: "cat a",
    cwd: "/p",
    commandActions: [{ type: "read", command: "cat a" }],
  };
  talk.notify("item/started", { item: read });
  talk.notify("item/commandExecution/outputDelta", { itemId: "c", delta: "no such" });
  talk.notify("item/commandExecution/outputDelta", { itemId: "other", delta: "?" });
  talk.notify("item/completed", {
    item: { ...read, status: "completed", exitCode: 1, aggregatedOutput: "no such file", durationMs: 5 },
  });
  expect(talk.events).toEqual([
    {
      type: "tool_call_start",
      nativeId: "c",
      name: "shell",
      args: { command: "cat a", cwd: "/p" },
      title: "cat a",
      kind: "read",
    },
    { type: "tool_output_delta", nativeId: "c", text: "no such" },
    {
      type: "tool_result",
      nativeId: "c",
      ok: false,
      result: "no such file",
      error: { code: "tool_error", message: "exit code 1" },
      durationMs: 5,
    },
  ]);
});

test("long output is truncated to head and tail, with its full size", () => {
  const talk = running();
  const output = "a".repeat(RESULT_HEAD_CHARS) + "é".repeat(1_000) + "z".repeat(RESULT_TAIL_CHARS);
  talk.notify("item/completed", {
    item: {
      type: "commandExecution",
      id: "c",
      command: "x",
      status: "completed",
      exitCode: 0,
      aggregatedOutput: output,
    },
  });
  const result = talk.events.find((event) => event.type === "tool_result");
  expect(result?.truncated).toEqual({
    totalBytes: RESULT_HEAD_CHARS + RESULT_TAIL_CHARS + 2_000,
    shownBytes: RESULT_HEAD_CHARS + RESULT_TAIL_CHARS,
  });
  expect(result?.result).toContain("(1000 characters left out)");
});

test("plans, patches, progress, model changes, limits and warnings are reported, each warning and limit once", () => {
  const talk = running();
  talk.notify("turn/plan/updated", {
    explanation: null,
    plan: [
      { step: "look", status: "inProgress" },
      { step: "act", status: "?" },
    ],
  });
  talk.notify("item/started", { item: { type: "fileChange", id: "f", changes: [] } });
  talk.notify("item/fileChange/patchUpdated", {
    itemId: "f",
    changes: [{ path: "/p/a", kind: { type: "add" }, diff: "x" }],
  });
  talk.notify("item/started", { item: { type: "mcpToolCall", id: "m", server: "hub", tool: "do" } });
  talk.notify("item/mcpToolCall/progress", { itemId: "m", message: "half" });
  talk.notify("model/rerouted", { fromModel: "a", toModel: "b", reason: "busy" });
  for (let times = 0; times < 2; times += 1) {
    talk.receive({ method: "account/rateLimits/updated", params: { rateLimits: { primary: { usedPercent: 50 } } } });
    talk.receive({ method: "warning", params: { threadId: null, message: "careful" } });
  }
  talk.notify("item/completed", { item: { type: "contextCompaction", id: "k" } });
  expect(talk.events.filter(({ type }) => type !== "tool_call_start")).toEqual([
    {
      type: "plan_update",
      planId: "turn-1",
      items: [
        { text: "look", status: "in_progress" },
        { text: "act", status: "pending" },
      ],
    },
    { type: "tool_call_update", nativeId: "f", args: { changes: [{ path: "/p/a", kind: "add" }] }, title: "/p/a" },
    { type: "tool_call_update", nativeId: "m", detail: "half" },
    { type: "model_fallback", preferred: "a", actual: "b", reason: "busy" },
    { type: "ui_status", key: "codex-limits", text: "limit 50 % used" },
    { type: "warning", code: "codex", message: "careful" },
    { type: "compacted", native: true },
  ]);
});

test("a request that Codex withdraws is closed and accepts no answer", () => {
  const talk = running();
  talk.receive({
    id: 4,
    method: "item/tool/call",
    params: { threadId: "t", turnId: "n", tool: "agents_list", arguments: {} },
  });
  talk.notify("serverRequest/resolved", { requestId: 4 });
  talk.step(dialect.encodeAnswer?.(talk.state, "a.ask:4", { result: 1, error: null }));
  const withdrawn = { type: "request_withdrawn", callId: "a.ask:4" };
  expect({ asked: talk.events, step: talk.sent }).toEqual({
    asked: [{ type: "host_call", callId: "a.ask:4", tool: "agents_list", args: {} }, withdrawn],
    step: [],
  });
  talk.receive({ id: 5, method: "item/tool/requestUserInput", params: { threadId: "t", questions: [{ id: "q" }] } });
  talk.step(dialect.encodeAnswer?.(talk.state, "a.ask:5", { result: { q: "x" }, error: null }));
  // Codex also sends this for requests that we have answered.
  talk.notify("serverRequest/resolved", { requestId: 5 });
  expect(talk.events.filter(({ type }) => type === "request_withdrawn")).toEqual([withdrawn]);
});

test("no message shape throws; at worst a line is unreadable", () => {
  const shapes: unknown[] = [
    null,
    7,
    "x",
    [],
    {},
    { item: null },
    { item: 7 },
    { item: { type: 7, id: 7 } },
    { turn: [] },
  ];
  const methods = [
    "item/started",
    "item/completed",
    "error",
    "turn/diff/updated",
    "thread/tokenUsage/updated",
    "turn/plan/updated",
  ];
  const talk = running();
  for (const method of methods) for (const params of shapes) talk.receive({ method, params });
  for (const method of [
    "item/tool/call",
    "item/tool/requestUserInput",
    "mcpServer/elicitation/request",
    "item/fileChange/requestApproval",
  ]) {
    for (const [at, params] of shapes.entries()) talk.receive({ id: `${method}${at}`, method, params });
  }
  for (const type of [
    "commandExecution",
    "fileChange",
    "mcpToolCall",
    "dynamicToolCall",
    "webSearch",
    "collabAgentToolCall",
  ]) {
    talk.notify("item/completed", { item: { type, id: type } });
  }
  for (const line of ["", "{", "null", "[1]"]) talk.step(dialect.parse(talk.state, line));
  expect(talk.events.filter(({ type }) => type === "unreadable")).toHaveLength(4);
  expect(talk.ends()).toEqual([]);
});
