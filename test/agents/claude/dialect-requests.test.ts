import { describe, expect, test } from "vitest";
import { hostToolSchemas } from "../../../src/protocol/index.ts";
import type { AnswerResult } from "../../../src/agents/index.ts";
import { asked, mcp, type Fields, type Talk, type TalkOptions } from "./talk.ts";

/** What the program is told when the one request that is open is answered. */
function answered(talk: Talk, answer: AnswerResult): unknown {
  const [written = {}] = talk.answer("p", answer).look().written;
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
    const talk = asked().hear(permission(), { type: "control_cancel_request", request_id: "p" });
    talk.look();
    expect(talk.answer("p", { result: "allow", error: null }).look().written).toEqual([]);
  });

  test("an edit is shown whole and as a diff, to be allowed once or denied, whatever else the program suggests", () => {
    const suggestions = [
      { type: "setMode", mode: "acceptEdits", destination: "session" },
      { type: "addRules", behavior: "allow", rules: [{ toolName: "Edit" }], destination: "localSettings" },
      { type: "addDirectories", directories: ["/b"], destination: "userSettings" },
    ];
    const talk = asked().hear(permission({ permission_suggestions: suggestions }));
    expect(talk.look().events[0]).toMatchObject({
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
    expect(answered(talk, { result: "allow", error: null })).toEqual({ behavior: "allow", updatedInput: input });
  });

  test("why the user denied it reaches the model", () => {
    const talk = asked().hear(permission());
    talk.look();
    const message = "This was not run. The user says: use pnpm";
    expect(answered(talk, { result: "deny", error: null, reason: "use pnpm" })).toEqual({ behavior: "deny", message });
  });

  test("a plan keeps its own choices: to begin, or to keep planning", () => {
    const plan = permission({ tool_name: "ExitPlanMode", input: { plan: "1. do it" } });
    const talk = asked().hear(plan);
    expect(talk.look().events).toMatchObject([
      { request: { method: "select", options: [{ value: "begin" }, { value: "plan" }] } },
    ]);
    const updatedInput = { plan: "1. do it" };
    expect(answered(talk, { result: "begin", error: null })).toEqual({ behavior: "allow", updatedInput });
    talk.hear(plan).look();
    expect(answered(talk, { result: "allow", error: null })).toMatchObject({ behavior: "deny" });
    expect(asked({ isWritable: false }).hear(plan).look().events).toEqual([]);
  });

  test("a command with more than its text is shown with all of it", () => {
    const input = { command: "ls", dangerouslyDisableSandbox: true };
    const [event] = asked()
      .hear(permission({ tool_name: "Bash", input }))
      .look().events;
    expect(event).toMatchObject({ request: { call: JSON.stringify(input, null, 2) } });
  });

  test("a request of a kind that is not known is answered with an error, so that nobody waits for ever", () => {
    const talk = asked().hear({ type: "control_request", request_id: "n", request: { subtype: "of_tomorrow" } });
    expect(talk.look().written).toMatchObject([{ response: { subtype: "error", request_id: "n" } }]);
  });
});

describe("the table's server", () => {
  const reply = (message: Fields): unknown => {
    const [written = {}] = asked().hear(mcp(message)).look().written;
    return (written["response"] as { response: Fields }).response["mcp_response"];
  };

  test("shakes hands, answers a ping and lists every tool of the table", () => {
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
    const names = (options: TalkOptions): unknown[] => {
      const [written = {}] = asked(options)
        .hear(mcp({ id: 1, method: "tools/list" }))
        .look().written;
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
    const talk = asked().hear(call);
    expect(talk.look()).toEqual({
      events: [{ type: "host_call", callId: "r", tool: "agents_message", args: { to: "bob" } }],
      written: [],
    });
    const failed = { content: [{ type: "text", text: "bob is away" }], isError: true };
    expect(talk.answer("r", { result: null, error: "bob is away" }).look().written).toMatchObject([
      { response: { request_id: "r", response: { mcp_response: { id: 3, result: failed } } } },
    ]);
    talk.hear(call, { ...mcp({ method: "notifications/cancelled", params: { requestId: 3 } }), request_id: "c" });
    talk.look();
    expect(talk.answer("r", { result: "late", error: null }).look().written).toEqual([]);
  });

  test("a call that the program cancels is closed on every screen, one that it does not wait for is nobody's", () => {
    const cancel = (requestId: number) => mcp({ method: "notifications/cancelled", params: { requestId } });
    const talk = asked().hear(mcp({ id: 3, method: "tools/call", params: { name: "user_question", arguments: {} } }));
    talk.look();
    expect(talk.hear(cancel(4)).look().events).toEqual([]);
    expect(talk.hear(cancel(3)).look().events).toEqual([{ type: "request_withdrawn", callId: "r" }]);
    expect(talk.hear(cancel(3)).look().events).toEqual([]);
  });
});
