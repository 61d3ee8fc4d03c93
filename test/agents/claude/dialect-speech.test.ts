import { describe, expect, test } from "vitest";
import {
  startedTurn,
  assistant,
  lifecycle,
  mcp,
  over,
  result,
  stream,
  Conversation,
  textDelta,
  textStart,
  types,
  type Fields,
} from "./conversation.ts";

describe("what was streamed and never completed", () => {
  test("is retracted when the answer is abandoned, restarted, retried, or ends in an error", () => {
    const ways: Fields[] = [
      stream({ type: "message_stop" }, { abandoned_blocks: { api_message_id: "x", from_block_index: 0 } }),
      stream({ type: "message_start", message: { model: "m" } }),
      { type: "system", subtype: "api_retry", attempt: 1, max_retries: 2, retry_delay_ms: 5, error: "unknown" },
      assistant([{ type: "text", text: "API Error" }], { message: { model: "<synthetic>", content: [] } }),
      result({ is_error: true, terminal_reason: "api_error", result: "API Error" }),
    ];
    for (const way of ways) {
      const { events } = startedTurn().receive(textStart(), textDelta("half a"), way).drain();
      expect(types(events).slice(0, 2)).toEqual(["text_delta", "text_retracted"]);
    }
  });

  test("a block that has its record, or of which nothing was shown, stays untouched", () => {
    const abandoned = stream({ type: "message_stop" }, { abandoned_blocks: { from_block_index: 0 } });
    const whole = startedTurn()
      .receive(textStart(), textDelta("a"), assistant([{ type: "text", text: "a" }]), abandoned)
      .drain();
    expect(types(whole.events)).toEqual(["text_delta", "text_done"]);
    expect(startedTurn().receive(textStart(), abandoned).drain().events).toEqual([]);
  });

  test("is kept when the turn was interrupted", () => {
    const abandoned = stream({ type: "message_stop" }, { abandoned_blocks: { from_block_index: 0 } });
    const { events } = startedTurn().interrupt().receive(textStart(), textDelta("half a"), abandoned).drain();
    expect(types(events)).toEqual(["text_delta", "text_done"]);
  });

  test("an answer that comes without a stream is one piece", () => {
    expect(
      startedTurn()
        .receive(assistant([{ type: "text", text: "whole" }]))
        .drain().events,
    ).toEqual([
      { type: "text_delta", text: "whole" },
      { type: "text_done", text: "whole" },
    ]);
  });
});

describe("steering", () => {
  test("a message not yet consumed keeps the turn open until its own result", () => {
    const conversation = startedTurn().receive(lifecycle("uuid-1", "queued"), lifecycle("uuid-1", "started"));
    conversation.steer({ messageId: "m2", text: "and" });
    const cost = { total_cost_usd: 1, usage: { input_tokens: 1, output_tokens: 2 } };
    expect(conversation.receive(lifecycle("uuid-2", "queued"), result(cost)).drain().events).toEqual([]);
    const after = { total_cost_usd: 3, usage: { input_tokens: 10, output_tokens: 20 } };
    expect(conversation.receive(lifecycle("uuid-2", "started"), result(after)).drain().events).toEqual([
      { type: "steered", messageId: "m2" },
      {
        type: "turn_over",
        outcome: "completed",
        usage: { ...over.usage, inputTokens: 11, outputTokens: 22, costUsd: 3 },
      },
    ]);
  });

  test("a message that is discarded is never steered, and the turn ends with its result", () => {
    const conversation = startedTurn().steer({ messageId: "m2", text: "and" });
    expect(conversation.receive(lifecycle("uuid-2", "discarded"), result()).drain().events).toEqual([
      { type: "turn_over", ...over },
    ]);
  });

  test("a turn that waits for a message is over when the program drops it, as its result said, once", () => {
    const conversation = startedTurn().steer({ messageId: "m2", text: "and" }).steer({ messageId: "m3", text: "also" });
    conversation.drain();
    const said = result({ result: "Done.", usage: { input_tokens: 1, output_tokens: 2 } });
    expect(conversation.receive(said).drain().events).toEqual([
      { type: "text_delta", text: "Done." },
      { type: "text_done", text: "Done." },
    ]);
    expect(conversation.receive(lifecycle("uuid-2", "cancelled")).drain().events).toEqual([]);
    expect(conversation.receive(lifecycle("uuid-3", "discarded")).drain().events).toEqual([
      { type: "turn_over", outcome: "completed", usage: { ...over.usage, inputTokens: 1, outputTokens: 2 } },
    ]);
    expect(conversation.receive(lifecycle("uuid-3", "cancelled")).drain().events).toEqual([]);
  });

  test("one that is at work again waits for its result, one that was interrupted ends so", () => {
    const working = startedTurn().steer({ messageId: "m2", text: "and" }).steer({ messageId: "m3", text: "also" });
    working.receive(result(), lifecycle("uuid-2", "started"), lifecycle("uuid-3", "cancelled"));
    expect(types(working.drain().events)).toEqual(["steered"]);
    expect(types(working.receive(result()).drain().events)).toEqual(["turn_over"]);
    const stopped = startedTurn().steer({ messageId: "m2", text: "and" }).receive(result()).interrupt();
    expect(stopped.receive(lifecycle("uuid-2", "cancelled")).drain().events).toEqual([
      { type: "turn_over", outcome: "interrupted", reason: "interrupted", usage: over.usage },
    ]);
  });

  test("the context reported at the end is that of the last result, or of the one before a pending steer", () => {
    const answered = (input_tokens: number): Fields =>
      stream({ type: "message_start", message: { model: "m", usage: { input_tokens, output_tokens: 0 } } });
    const modelUsage = { m: { contextWindow: 100 } };
    const told = (conversation: Conversation): unknown[] =>
      conversation.drain().events.filter(({ type }) => type === "context_update");
    const context = (used: number): Fields => ({ type: "context_update", used, window: 100, measured: true });
    const waiting = (): Conversation =>
      startedTurn().steer({ messageId: "m2", text: "and" }).receive(answered(10), result({ modelUsage }));
    const last = result({ modelUsage, user_message_uuids: ["uuid-2"] });
    expect(told(waiting().receive(answered(20), last))).toEqual([context(20)]);
    expect(told(waiting().receive(lifecycle("uuid-2", "cancelled")))).toEqual([context(10)]);
  });

  test("a message that a result names as answered was accepted, also without any other record", () => {
    const conversation = startedTurn().steer({ messageId: "m2", text: "and" }).steer({ messageId: "m3", text: "also" });
    conversation.drain();
    const first = result({ user_message_uuids: ["uuid-1", "uuid-2"] });
    expect(conversation.receive(first).drain().events).toEqual([{ type: "steered", messageId: "m2" }]);
    expect(conversation.receive(result({ user_message_uuids: ["uuid-3"] })).drain().events).toEqual([
      { type: "steered", messageId: "m3" },
      { type: "turn_over", ...over },
    ]);
  });

  test("an interrupt cancels what is queued, also where the program leaves that to us", () => {
    const conversation = startedTurn().steer({ messageId: "m2", text: "and" });
    conversation.drain();
    expect(conversation.interrupt().drain().written).toEqual([
      { type: "control_request", request_id: "roundtable-2", request: { subtype: "interrupt", cancel_queued: true } },
    ]);
    const response = { subtype: "success", request_id: "roundtable-2", response: { still_queued: ["uuid-2"] } };
    expect(conversation.receive({ type: "control_response", response }).drain().written).toEqual([
      {
        type: "control_request",
        request_id: "roundtable-3",
        request: { subtype: "cancel_async_message", message_uuid: "uuid-2" },
      },
    ]);
    const stopped = result({ is_error: true, subtype: "error_during_execution", terminal_reason: "aborted_streaming" });
    expect(conversation.receive(stopped).drain().events).toEqual([
      { type: "turn_over", outcome: "interrupted", reason: "interrupted", usage: over.usage },
    ]);
  });

  test("a turn that is cancelled before it began is over, though no result ever comes", () => {
    const conversation = startedTurn().receive(lifecycle("uuid-1", "queued")).interrupt();
    expect(conversation.receive(lifecycle("uuid-1", "cancelled")).drain().events).toEqual([
      { type: "turn_over", outcome: "interrupted", reason: "interrupted" },
    ]);
  });
});

describe("unsolicited output", () => {
  test("text while our message is still queued is not its answer", () => {
    const conversation = startedTurn().receive(
      lifecycle("uuid-1", "queued"),
      textStart(),
      textDelta("for somebody else"),
      result(),
    );
    expect(conversation.drain().events).toEqual([]);
    expect(
      types(conversation.receive(lifecycle("uuid-1", "started"), textDelta("for you"), result()).drain().events),
    ).toEqual(["text_delta", "text_done", "turn_over"]);
  });

  test("the result of a turn that the program started itself ends none of ours", () => {
    expect(
      startedTurn()
        .receive(result({ origin: { kind: "task-notification" } }))
        .drain().events,
    ).toEqual([]);
  });

  test("outside a turn nothing is allowed and no host tool is called", () => {
    const conversation = new Conversation();
    conversation.drain();
    const request = { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" } };
    conversation.receive({ type: "control_request", request_id: "p", request });
    conversation.receive(mcp({ id: 3, method: "tools/call", params: { name: "agents_list" } }));
    const { events, written } = conversation.drain();
    expect(events).toEqual([]);
    expect(JSON.stringify(written[0])).toContain('"behavior":"deny"');
    expect(JSON.stringify(written[1])).toContain('"isError":true');
  });

  test("requests outside our turn are refused at once", () => {
    const asks = (tool_name: string, input: Fields): Fields => ({
      type: "control_request",
      request_id: "p",
      request: { subtype: "can_use_tool", tool_name, input },
    });
    const question = { questions: [{ question: "Which?", options: [{ label: "a" }] }] };
    const unasked = new Conversation().receive(textStart(), textDelta("The tests are done."));
    const queued = startedTurn().receive(lifecycle("uuid-1", "queued"));
    for (const conversation of [unasked, queued]) {
      conversation.drain();
      conversation.receive(asks("Bash", { command: "ls" }), asks("AskUserQuestion", question));
      conversation.receive(mcp({ id: 3, method: "tools/call", params: { name: "user_question" } }));
      const { events, written } = conversation.drain();
      expect(events).toEqual([]);
      expect(written.map((one) => JSON.stringify(one))).toEqual([
        expect.stringContaining('"behavior":"deny"'),
        expect.stringContaining('"behavior":"deny"'),
        expect.stringContaining('"isError":true'),
      ]);
    }
  });

  test("requests open at the end of a turn are refused, so that the program does not wait forever", () => {
    const request = { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" } };
    const conversation = startedTurn().receive({ type: "control_request", request_id: "p", request });
    conversation.receive(mcp({ id: 3, method: "tools/call", params: { name: "user_question" } }));
    conversation.drain();
    expect(conversation.receive(result()).drain().written).toMatchObject([
      { response: { request_id: "p", response: { behavior: "deny" } } },
      { response: { request_id: "r", response: { mcp_response: { id: 3, result: { isError: true } } } } },
    ]);
    expect(conversation.answer("p", { result: "allow", error: null }).drain().written).toEqual([]);
  });

  test("a subagent's text is not shown, its tools are progress of the call that started it", () => {
    const call = { type: "tool_use", id: "task-1", name: "Task", input: { description: "look" } };
    const inner = { type: "tool_use", id: "inner", name: "Bash", input: { command: "ls" } };
    const { events } = startedTurn()
      .receive(
        assistant([call]),
        stream(
          { type: "content_block_delta", delta: { type: "text_delta", text: "mine" } },
          { parent_tool_use_id: "task-1" },
        ),
        assistant([{ type: "text", text: "mine" }, inner], { parent_tool_use_id: "task-1" }),
        {
          type: "user",
          parent_tool_use_id: "task-1",
          message: { content: [{ type: "tool_result", tool_use_id: "inner" }] },
        },
      )
      .drain();
    expect(events.slice(1)).toEqual([{ type: "tool_call_update", nativeId: "task-1", detail: "Bash: ls" }]);
  });
});

describe("notices", () => {
  test("limits, another model, another permission mode and compaction are shown", () => {
    const limit = { status: "rejected", rateLimitType: "five_hour", resetsAt: 0, utilization: 1 };
    const { events } = startedTurn()
      .receive(
        { type: "rate_limit_event", rate_limit_info: limit },
        { type: "rate_limit_event", rate_limit_info: { status: "allowed", utilization: 0.1 } },
        { type: "system", subtype: "model_fallback", original_model: "a", fallback_model: "b", trigger: "overloaded" },
        { type: "system", subtype: "status", status: null, permissionMode: "acceptEdits" },
        { type: "system", subtype: "status", status: "compacting" },
        { type: "system", subtype: "compact_boundary" },
        {
          type: "system",
          subtype: "api_retry",
          attempt: 2,
          max_retries: 10,
          retry_delay_ms: 500,
          error: "rate_limit",
          error_status: 429,
        },
      )
      .drain();
    const text = "five-hour limit: reached, resets at 1970-01-01T00:00Z";
    expect(events).toEqual([
      { type: "ui_status", key: "rate_limit", text },
      { type: "warning", code: "rate_limit", message: `${text}.` },
      { type: "ui_status", key: "rate_limit", text: null },
      { type: "model_fallback", preferred: "a", actual: "b", reason: "overloaded" },
      { type: "ui_status", key: "permission_mode", text: "acceptEdits" },
      { type: "status", state: "working", detail: "compacting" },
      { type: "compacted", native: true },
      { type: "retrying", attempt: 2, of: 10, delayMs: 500, reason: "a rate limit was reached (HTTP 429)" },
    ]);
  });

  test("unknown records, odd fields and repeated answers of ours lead to nothing; what is no record is unreadable", () => {
    const conversation = startedTurn().receive(
      { type: "of_tomorrow" },
      { subtype: "without a type" },
      { type: "system", subtype: "of_tomorrow" },
      { type: "stream_event", event: 5 },
      { type: "assistant", message: { content: "?" } },
      { type: "user", message: null },
      { type: "control_response", response: { subtype: "success", request_id: "not-ours", response: {} } },
      { type: "command_lifecycle", command_uuid: 7, state: {} },
    );
    expect(conversation.drain()).toEqual({ events: [], written: [] });
    for (const line of ["no json", "[]", "5", "null", '"text"']) {
      expect(conversation.receiveRaw(line).drain().events).toEqual([{ type: "unreadable" }]);
    }
  });
});

describe("the end of a turn", () => {
  test("takes the error code from the program's fields and the message from its text", () => {
    const ways: [Fields, string][] = [
      [{ api_error_status: 401, terminal_reason: "api_error", result: "no key" }, "unauthorized"],
      [{ api_error_status: 429, terminal_reason: "api_error", result: "slow down" }, "rate_limited"],
      [{ terminal_reason: "prompt_too_long", result: "too long" }, "context_length"],
      [{ api_error_status: 500, terminal_reason: "api_error", result: "oops" }, "provider_error"],
      [{ subtype: "error_max_turns", errors: ["enough"] }, "error_max_turns"],
    ];
    for (const [more, code] of ways) {
      const [event] = startedTurn()
        .receive(result({ is_error: true, result: undefined, ...more }))
        .drain().events;
      expect(event).toMatchObject({ type: "turn_over", outcome: "errored", reason: code, error: { code } });
    }
  });

  test("after a resume the session's earlier cost is not this turn's", () => {
    const told = { total_cost_usd: 7, model_usage_since_last_result: { a: { costUSD: 1 }, b: { costUSD: 2 } } };
    const costs = [result(told), result({ total_cost_usd: 7 })].map((record) => {
      const [event] = new Conversation({ resumes: "s" }).turn().receive(record).drain().events.slice(-1);
      return event?.type === "turn_over" ? event.usage?.costUsd : "none";
    });
    expect(costs).toEqual([3, undefined]);
  });

  test("emits text without a model from the result", () => {
    expect(
      startedTurn()
        .receive(result({ result: "said at the end" }))
        .drain().events,
    ).toEqual([
      { type: "text_delta", text: "said at the end" },
      { type: "text_done", text: "said at the end" },
      { type: "turn_over", ...over },
    ]);
  });

  test("reports the edits of a turn once, with diffs, one per file", () => {
    const edit = (id: string, lines: string[]): Fields[] => [
      assistant([{ type: "tool_use", id, name: "Edit", input: {} }]),
      {
        type: "user",
        parent_tool_use_id: null,
        message: { content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] },
        tool_use_result: {
          filePath: "/a",
          structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines }],
        },
      },
    ];
    const { events } = startedTurn()
      .receive(...edit("e1", ["-a", "+b"]), ...edit("e2", [" b", "+c"]), result())
      .drain();
    const head = "--- /a\n+++ /a\n@@ -1,1 +1,1 @@";
    const diff = `${head}\n-a\n+b\n${head}\n b\n+c`;
    expect(events.at(-2)).toEqual({
      type: "change_report",
      files: [{ path: "/a", status: "modified", added: 2, removed: 1, diff }],
      truncatedCount: 0,
    });
  });

  test("attachments are left out with a warning", () => {
    const attachments = [{ name: "a.png", mime: "image/png", blob: { sha256: "0".repeat(64), bytes: 1 } }];
    expect(new Conversation().turn({ attachments }).drain().events.at(-1)).toMatchObject({
      code: "attachments_not_seen",
    });
  });
});
