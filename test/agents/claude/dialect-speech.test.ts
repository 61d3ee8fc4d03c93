import { describe, expect, test } from "vitest";
import {
  asked,
  assistant,
  lifecycle,
  mcp,
  over,
  result,
  stream,
  Talk,
  textDelta,
  textStart,
  types,
  type Fields,
} from "./talk.ts";

describe("what was streamed and never completed", () => {
  test("is taken back when the answer is abandoned, begun anew, retried, or ends in an error", () => {
    const ways: Fields[] = [
      stream({ type: "message_stop" }, { abandoned_blocks: { api_message_id: "x", from_block_index: 0 } }),
      stream({ type: "message_start", message: { model: "m" } }),
      { type: "system", subtype: "api_retry", attempt: 1, max_retries: 2, retry_delay_ms: 5, error: "unknown" },
      assistant([{ type: "text", text: "API Error" }], { message: { model: "<synthetic>", content: [] } }),
      result({ is_error: true, terminal_reason: "api_error", result: "API Error" }),
    ];
    for (const way of ways) {
      const { events } = asked().hear(textStart(), textDelta("half a"), way).look();
      expect(types(events).slice(0, 2)).toEqual(["text_delta", "text_retracted"]);
    }
  });

  test("a block that has its record, or of which nothing was shown, stays untouched", () => {
    const abandoned = stream({ type: "message_stop" }, { abandoned_blocks: { from_block_index: 0 } });
    const whole = asked()
      .hear(textStart(), textDelta("a"), assistant([{ type: "text", text: "a" }]), abandoned)
      .look();
    expect(types(whole.events)).toEqual(["text_delta", "text_done"]);
    expect(asked().hear(textStart(), abandoned).look().events).toEqual([]);
  });

  test("is kept when the turn was interrupted", () => {
    const abandoned = stream({ type: "message_stop" }, { abandoned_blocks: { from_block_index: 0 } });
    const { events } = asked().interrupt().hear(textStart(), textDelta("half a"), abandoned).look();
    expect(types(events)).toEqual(["text_delta", "text_done"]);
  });

  test("an answer that comes without a stream is one piece", () => {
    expect(
      asked()
        .hear(assistant([{ type: "text", text: "whole" }]))
        .look().events,
    ).toEqual([
      { type: "text_delta", text: "whole" },
      { type: "text_done", text: "whole" },
    ]);
  });
});

describe("steering", () => {
  test("a message that the program has not taken up keeps the turn open until its own result", () => {
    const talk = asked().hear(lifecycle("uuid-1", "queued"), lifecycle("uuid-1", "started"));
    talk.steer({ messageId: "m2", text: "and" });
    const cost = { total_cost_usd: 1, usage: { input_tokens: 1, output_tokens: 2 } };
    expect(talk.hear(lifecycle("uuid-2", "queued"), result(cost)).look().events).toEqual([]);
    const after = { total_cost_usd: 3, usage: { input_tokens: 10, output_tokens: 20 } };
    expect(talk.hear(lifecycle("uuid-2", "started"), result(after)).look().events).toEqual([
      { type: "steered", messageId: "m2" },
      {
        type: "turn_over",
        outcome: "completed",
        usage: { ...over.usage, inputTokens: 11, outputTokens: 22, costUsd: 3 },
      },
    ]);
  });

  test("a message that is discarded is never steered, and the turn ends with its result", () => {
    const talk = asked().steer({ messageId: "m2", text: "and" });
    expect(talk.hear(lifecycle("uuid-2", "discarded"), result()).look().events).toEqual([
      { type: "turn_over", ...over },
    ]);
  });

  test("a turn that waits for a message is over when the program drops it, as its result said, once", () => {
    const talk = asked().steer({ messageId: "m2", text: "and" }).steer({ messageId: "m3", text: "also" });
    talk.look();
    const said = result({ result: "Done.", usage: { input_tokens: 1, output_tokens: 2 } });
    expect(talk.hear(said).look().events).toEqual([
      { type: "text_delta", text: "Done." },
      { type: "text_done", text: "Done." },
    ]);
    expect(talk.hear(lifecycle("uuid-2", "cancelled")).look().events).toEqual([]);
    expect(talk.hear(lifecycle("uuid-3", "discarded")).look().events).toEqual([
      { type: "turn_over", outcome: "completed", usage: { ...over.usage, inputTokens: 1, outputTokens: 2 } },
    ]);
    expect(talk.hear(lifecycle("uuid-3", "cancelled")).look().events).toEqual([]);
  });

  test("one that is at work again waits for its result, one that was interrupted ends so", () => {
    const working = asked().steer({ messageId: "m2", text: "and" }).steer({ messageId: "m3", text: "also" });
    working.hear(result(), lifecycle("uuid-2", "started"), lifecycle("uuid-3", "cancelled"));
    expect(types(working.look().events)).toEqual(["steered"]);
    expect(types(working.hear(result()).look().events)).toEqual(["turn_over"]);
    const stopped = asked().steer({ messageId: "m2", text: "and" }).hear(result()).interrupt();
    expect(stopped.hear(lifecycle("uuid-2", "cancelled")).look().events).toEqual([
      { type: "turn_over", outcome: "interrupted", reason: "interrupted", usage: over.usage },
    ]);
  });

  test("the context told at the end is that of the last result, or of the one that it waited after", () => {
    const answered = (input_tokens: number): Fields =>
      stream({ type: "message_start", message: { model: "m", usage: { input_tokens, output_tokens: 0 } } });
    const modelUsage = { m: { contextWindow: 100 } };
    const told = (talk: Talk): unknown[] => talk.look().events.filter(({ type }) => type === "context_update");
    const context = (used: number): Fields => ({ type: "context_update", used, window: 100, measured: true });
    const waiting = (): Talk =>
      asked().steer({ messageId: "m2", text: "and" }).hear(answered(10), result({ modelUsage }));
    const last = result({ modelUsage, user_message_uuids: ["uuid-2"] });
    expect(told(waiting().hear(answered(20), last))).toEqual([context(20)]);
    expect(told(waiting().hear(lifecycle("uuid-2", "cancelled")))).toEqual([context(10)]);
  });

  test("a message that a result names as answered was taken up, also where nothing else tells of it", () => {
    const talk = asked().steer({ messageId: "m2", text: "and" }).steer({ messageId: "m3", text: "also" });
    talk.look();
    const first = result({ user_message_uuids: ["uuid-1", "uuid-2"] });
    expect(talk.hear(first).look().events).toEqual([{ type: "steered", messageId: "m2" }]);
    expect(talk.hear(result({ user_message_uuids: ["uuid-3"] })).look().events).toEqual([
      { type: "steered", messageId: "m3" },
      { type: "turn_over", ...over },
    ]);
  });

  test("an interrupt cancels what is queued, also where the program leaves that to us", () => {
    const talk = asked().steer({ messageId: "m2", text: "and" });
    talk.look();
    expect(talk.interrupt().look().written).toEqual([
      { type: "control_request", request_id: "roundtable-2", request: { subtype: "interrupt", cancel_queued: true } },
    ]);
    const response = { subtype: "success", request_id: "roundtable-2", response: { still_queued: ["uuid-2"] } };
    expect(talk.hear({ type: "control_response", response }).look().written).toEqual([
      {
        type: "control_request",
        request_id: "roundtable-3",
        request: { subtype: "cancel_async_message", message_uuid: "uuid-2" },
      },
    ]);
    const stopped = result({ is_error: true, subtype: "error_during_execution", terminal_reason: "aborted_streaming" });
    expect(talk.hear(stopped).look().events).toEqual([
      { type: "turn_over", outcome: "interrupted", reason: "interrupted", usage: over.usage },
    ]);
  });

  test("a turn that is cancelled before it began is over, though no result ever comes", () => {
    const talk = asked().hear(lifecycle("uuid-1", "queued")).interrupt();
    expect(talk.hear(lifecycle("uuid-1", "cancelled")).look().events).toEqual([
      { type: "turn_over", outcome: "interrupted", reason: "interrupted" },
    ]);
  });
});

describe("what nobody asked for", () => {
  test("what is said while our message is still queued is not its answer", () => {
    const talk = asked().hear(lifecycle("uuid-1", "queued"), textStart(), textDelta("for somebody else"), result());
    expect(talk.look().events).toEqual([]);
    expect(types(talk.hear(lifecycle("uuid-1", "started"), textDelta("for you"), result()).look().events)).toEqual([
      "text_delta",
      "text_done",
      "turn_over",
    ]);
  });

  test("the result of a turn that the program began by itself ends none of ours", () => {
    expect(
      asked()
        .hear(result({ origin: { kind: "task-notification" } }))
        .look().events,
    ).toEqual([]);
  });

  test("without a turn nothing is allowed and no tool of the table is called", () => {
    const talk = new Talk();
    talk.look();
    const request = { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" } };
    talk.hear({ type: "control_request", request_id: "p", request });
    talk.hear(mcp({ id: 3, method: "tools/call", params: { name: "agents_list" } }));
    const { events, written } = talk.look();
    expect(events).toEqual([]);
    expect(JSON.stringify(written[0])).toContain('"behavior":"deny"');
    expect(JSON.stringify(written[1])).toContain('"isError":true');
  });

  test("what it asks while it works unasked, or before our message, is refused at once", () => {
    const asks = (tool_name: string, input: Fields): Fields => ({
      type: "control_request",
      request_id: "p",
      request: { subtype: "can_use_tool", tool_name, input },
    });
    const question = { questions: [{ question: "Which?", options: [{ label: "a" }] }] };
    const unasked = new Talk().hear(textStart(), textDelta("The tests are done."));
    const queued = asked().hear(lifecycle("uuid-1", "queued"));
    for (const talk of [unasked, queued]) {
      talk.look();
      talk.hear(asks("Bash", { command: "ls" }), asks("AskUserQuestion", question));
      talk.hear(mcp({ id: 3, method: "tools/call", params: { name: "user_question" } }));
      const { events, written } = talk.look();
      expect(events).toEqual([]);
      expect(written.map((one) => JSON.stringify(one))).toEqual([
        expect.stringContaining('"behavior":"deny"'),
        expect.stringContaining('"behavior":"deny"'),
        expect.stringContaining('"isError":true'),
      ]);
    }
  });

  test("what is still asked when the turn ends is refused, so that the program does not wait for ever", () => {
    const request = { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" } };
    const talk = asked().hear({ type: "control_request", request_id: "p", request });
    talk.hear(mcp({ id: 3, method: "tools/call", params: { name: "user_question" } }));
    talk.look();
    expect(talk.hear(result()).look().written).toMatchObject([
      { response: { request_id: "p", response: { behavior: "deny" } } },
      { response: { request_id: "r", response: { mcp_response: { id: 3, result: { isError: true } } } } },
    ]);
    expect(talk.answer("p", { result: "allow", error: null }).look().written).toEqual([]);
  });

  test("a subagent's words are nobody's, its tools are news of the call that started it", () => {
    const call = { type: "tool_use", id: "task-1", name: "Task", input: { description: "look" } };
    const inner = { type: "tool_use", id: "inner", name: "Bash", input: { command: "ls" } };
    const { events } = asked()
      .hear(
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
      .look();
    expect(events.slice(1)).toEqual([{ type: "tool_call_update", nativeId: "task-1", detail: "Bash: ls" }]);
  });
});

describe("notices", () => {
  test("limits, another model, another permission mode and compaction are shown", () => {
    const limit = { status: "rejected", rateLimitType: "five_hour", resetsAt: 0, utilization: 1 };
    const { events } = asked()
      .hear(
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
      .look();
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
    const talk = asked().hear(
      { type: "of_tomorrow" },
      { subtype: "without a type" },
      { type: "system", subtype: "of_tomorrow" },
      { type: "stream_event", event: 5 },
      { type: "assistant", message: { content: "?" } },
      { type: "user", message: null },
      { type: "control_response", response: { subtype: "success", request_id: "not-ours", response: {} } },
      { type: "command_lifecycle", command_uuid: 7, state: {} },
    );
    expect(talk.look()).toEqual({ events: [], written: [] });
    for (const line of ["no json", "[]", "5", "null", '"text"']) {
      expect(talk.hearRaw(line).look().events).toEqual([{ type: "unreadable" }]);
    }
  });
});

describe("the end of a turn", () => {
  test("the kind of error is told by the program's facts, its words are the message", () => {
    const ways: [Fields, string][] = [
      [{ api_error_status: 401, terminal_reason: "api_error", result: "no key" }, "unauthorized"],
      [{ api_error_status: 429, terminal_reason: "api_error", result: "slow down" }, "rate_limited"],
      [{ terminal_reason: "prompt_too_long", result: "too long" }, "context_length"],
      [{ api_error_status: 500, terminal_reason: "api_error", result: "oops" }, "provider_error"],
      [{ subtype: "error_max_turns", errors: ["enough"] }, "error_max_turns"],
    ];
    for (const [more, code] of ways) {
      const [event] = asked()
        .hear(result({ is_error: true, result: undefined, ...more }))
        .look().events;
      expect(event).toMatchObject({ type: "turn_over", outcome: "errored", reason: code, error: { code } });
    }
  });

  test("after a resume the session's earlier cost is not this turn's", () => {
    const told = { total_cost_usd: 7, model_usage_since_last_result: { a: { costUSD: 1 }, b: { costUSD: 2 } } };
    const costs = [result(told), result({ total_cost_usd: 7 })].map((record) => {
      const [event] = new Talk({ resumes: "s" }).turn().hear(record).look().events.slice(-1);
      return event?.type === "turn_over" ? event.usage?.costUsd : "none";
    });
    expect(costs).toEqual([3, undefined]);
  });

  test("what the program says without a model is told from its result", () => {
    expect(
      asked()
        .hear(result({ result: "said at the end" }))
        .look().events,
    ).toEqual([
      { type: "text_delta", text: "said at the end" },
      { type: "text_done", text: "said at the end" },
      { type: "turn_over", ...over },
    ]);
  });

  test("edits of a turn are told once, with their diffs, several of one file as one", () => {
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
    const { events } = asked()
      .hear(...edit("e1", ["-a", "+b"]), ...edit("e2", [" b", "+c"]), result())
      .look();
    const head = "--- /a\n+++ /a\n@@ -1,1 +1,1 @@";
    const diff = `${head}\n-a\n+b\n${head}\n b\n+c`;
    expect(events.at(-2)).toEqual({
      type: "change_report",
      files: [{ path: "/a", status: "modified", added: 2, removed: 1, diff }],
      truncatedCount: 0,
    });
  });

  test("attachments are left aside, and that is said", () => {
    const attachments = [{ name: "a.png", mime: "image/png", blob: { sha256: "0".repeat(64), bytes: 1 } }];
    expect(new Talk().turn({ attachments }).look().events.at(-1)).toMatchObject({ code: "attachments_not_seen" });
  });
});
