import { describe, expect, test } from "vitest";
import { hostToolSchemas } from "../../../src/protocol/index.ts";
import type { AnswerResult } from "../../../src/agents/index.ts";
import { startedTurn, mcp, type Fields, type Conversation, type ConversationOptions } from "./conversation.ts";

/** What the program is told when the one request that is open is answered. */
function answered(conversation: Conversation, answer: AnswerResult): unknown {
  const [written = {}] = conversation.answer("p", answer).drain().written;
  return (written["response"] as { response: Fields }).response;
}

describe("requests", () => {
  const permission = (more: Fields = {}): Fields => ({
    type: "control_request",
    request_id: "p",
    request: {
      subtype: "can_use_tool",
      tool_name: "Edit",
      display_name: "Edit",
      input: { file_path: "/a", old_string: "x", new_string: "y" },
      ...more,
    },
  });

  test("an answer to what the program has withdrawn is not given", () => {
    const conversation = startedTurn().receive(permission(), { type: "control_cancel_request", request_id: "p" });
    conversation.drain();
    expect(conversation.answer("p", { result: "allow", error: null }).drain().written).toEqual([]);
  });

  test("an edit is shown whole and as a diff, to be allowed once or denied, whatever else the program suggests", () => {
    const suggestions = [
      { type: "setMode", mode: "acceptEdits", destination: "session" },
      { type: "addRules", behavior: "allow", rules: [{ toolName: "Edit" }], destination: "localSettings" },
      { type: "addDirectories", directories: ["/b"], destination: "userSettings" },
    ];
    const conversation = startedTurn().receive(permission({ permission_suggestions: suggestions }));
    expect(conversation.drain().events[0]).toMatchObject({
      type: "request",
      request: {
        title: "Edit /a",
        diff: "--- /a\n+++ /a\n@@ @@\n-x\n+y",
        options: [
          { label: "Allow once", value: "allow" },
          { label: "Deny", value: "deny" },
        ],
      },
    });
    const input = { file_path: "/a", old_string: "x", new_string: "y" };
    expect(answered(conversation, { result: "allow", error: null })).toEqual({
      behavior: "allow",
      updatedInput: input,
    });
  });

  test("why the user denied it reaches the model", () => {
    const conversation = startedTurn().receive(permission());
    conversation.drain();
    const message = "This was not run. The user wrote: use pnpm";
    expect(answered(conversation, { result: "deny", error: null, reason: "use pnpm" })).toEqual({
      behavior: "deny",
      message,
    });
  });

  test("a plan keeps its own choices: to begin, or to keep planning", () => {
    const plan = permission({ tool_name: "ExitPlanMode", input: { plan: "1. do it" } });
    const conversation = startedTurn().receive(plan);
    expect(conversation.drain().events).toMatchObject([
      { request: { method: "select", options: [{ value: "begin" }, { value: "plan" }] } },
    ]);
    const updatedInput = { plan: "1. do it" };
    expect(answered(conversation, { result: "begin", error: null })).toEqual({ behavior: "allow", updatedInput });
    conversation.receive(plan).drain();
    expect(answered(conversation, { result: "allow", error: null })).toMatchObject({ behavior: "deny" });
    expect(startedTurn({ isWritable: false }).receive(plan).drain().events).toEqual([]);
  });

  test("a command with more than its text is shown with all of it", () => {
    const input = { command: "ls", dangerouslyDisableSandbox: true };
    const [event] = startedTurn()
      .receive(permission({ tool_name: "Bash", input }))
      .drain().events;
    expect(event).toMatchObject({ request: { call: JSON.stringify(input, null, 2) } });
  });

  test("answers an unknown kind of request with an error", () => {
    const conversation = startedTurn().receive({
      type: "control_request",
      request_id: "n",
      request: { subtype: "of_tomorrow" },
    });
    expect(conversation.drain().written).toMatchObject([{ response: { subtype: "error", request_id: "n" } }]);
  });
});

describe("the host tool server", () => {
  const reply = (message: Fields): unknown => {
    const [written = {}] = startedTurn().receive(mcp(message)).drain().written;
    return (written["response"] as { response: Fields }).response["mcp_response"];
  };

  test("shakes hands, answers a ping and lists every host tool", () => {
    expect(reply({ id: 0, method: "initialize", params: { protocolVersion: "2025-06-18" } })).toMatchObject({
      id: 0,
      result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "roundtable" } },
    });
    expect(reply({ id: 5, method: "ping" })).toEqual({ jsonrpc: "2.0", id: 5, result: {} });
    const { result: list } = reply({ id: 1, method: "tools/list" }) as { result: { tools: Fields[] } };
    expect(list.tools.map((tool) => tool["name"])).toEqual(hostToolSchemas().map((tool) => tool.name));
    expect(list.tools.every((tool) => (tool["inputSchema"] as Fields)["type"] === "object")).toBe(true);
  });

  test("a tool for looking is there only where the session is read-only and no sandbox holds commands", () => {
    const names = (options: ConversationOptions): unknown[] => {
      const [written = {}] = startedTurn(options)
        .receive(mcp({ id: 1, method: "tools/list" }))
        .drain().written;
      const { mcp_response: told } = (written["response"] as { response: Fields }).response;
      return (told as { result: { tools: Fields[] } }).result.tools.map(({ name }) => name);
    };
    expect(names({ isWritable: false })).toContain("inspect");
    expect(names({ isWritable: false, isSandboxed: true })).not.toContain("inspect");
    expect(names({})).not.toContain("inspect");
  });

  test("a method that it does not have is -32601, a notification is merely taken", () => {
    expect(reply({ id: 2, method: "server/discover" })).toMatchObject({ id: 2, error: { code: -32_601 } });
    expect(reply({ method: "notifications/initialized" })).toEqual({ jsonrpc: "2.0", id: 0, result: {} });
  });

  test("a call waits for its answer, an error is one that the model sees, a cancelled call gets none", () => {
    const call = mcp({ id: 3, method: "tools/call", params: { name: "agents_message", arguments: { to: "bob" } } });
    const conversation = startedTurn().receive(call);
    expect(conversation.drain()).toEqual({
      events: [{ type: "host_call", callId: "r", tool: "agents_message", args: { to: "bob" } }],
      written: [],
    });
    const failed = { content: [{ type: "text", text: "bob is away" }], isError: true };
    expect(conversation.answer("r", { result: null, error: "bob is away" }).drain().written).toMatchObject([
      { response: { request_id: "r", response: { mcp_response: { id: 3, result: failed } } } },
    ]);
    conversation.receive(call, {
      ...mcp({ method: "notifications/cancelled", params: { requestId: 3 } }),
      request_id: "c",
    });
    conversation.drain();
    expect(conversation.answer("r", { result: "late", error: null }).drain().written).toEqual([]);
  });

  test("a call that the program cancels is closed on every screen, one that it does not wait for is nobody's", () => {
    const cancel = (requestId: number) => mcp({ method: "notifications/cancelled", params: { requestId } });
    const conversation = startedTurn().receive(
      mcp({ id: 3, method: "tools/call", params: { name: "user_question", arguments: {} } }),
    );
    conversation.drain();
    expect(conversation.receive(cancel(4)).drain().events).toEqual([]);
    expect(conversation.receive(cancel(3)).drain().events).toEqual([{ type: "request_withdrawn", callId: "r" }]);
    expect(conversation.receive(cancel(3)).drain().events).toEqual([]);
  });
});
