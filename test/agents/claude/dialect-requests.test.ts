import { describe, expect, test } from "vitest";
import { hostToolSchemas } from "../../../src/protocol/index.ts";
import { asked, mcp, type Fields } from "./talk.ts";

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

  test("[A161] an answer to what the program has withdrawn is not given", () => {
    const talk = asked().hear(permission(), { type: "control_cancel_request", request_id: "p" });
    talk.look();
    expect(talk.answer("p", { result: "allow", error: null }).look().written).toEqual([]);
  });

  test("[A145] an edit is shown whole and as a diff, and only lasting permissions that can be named are offered", () => {
    const suggestions = [
      { type: "setMode", mode: "acceptEdits", destination: "session" },
      { type: "setMode", mode: "bypassPermissions", destination: "session" },
      { type: "addRules", behavior: "deny", rules: [{ toolName: "Edit" }], destination: "session" },
      { type: "addRules", behavior: "allow", rules: [{ toolName: "Edit" }], destination: "localSettings" },
      { type: "addDirectories", directories: ["/b"], destination: "userSettings" },
      { type: "somethingNew", destination: "session" },
    ];
    const [event] = asked()
      .hear(permission({ permission_suggestions: suggestions }))
      .look().events;
    expect(event).toMatchObject({
      type: "request",
      request: {
        title: "Edit /a",
        diff: "--- /a\n+++ /a\n@@ @@\n-x\n+y",
        options: [
          { label: "Allow once", value: "allow" },
          { label: "Allow, and accept all edits for this session", value: "scope-0" },
          { label: "Allow Edit always, in this project", value: "scope-1" },
          { label: "Allow, with access to /b always, everywhere", value: "scope-2" },
          { label: "Deny", value: "deny" },
        ],
      },
    });
  });

  test("[A145] a command with more than its text is shown with all of it", () => {
    const input = { command: "ls", dangerouslyDisableSandbox: true };
    const [event] = asked()
      .hear(permission({ tool_name: "Bash", input }))
      .look().events;
    expect(event).toMatchObject({ request: { call: JSON.stringify(input, null, 2) } });
  });

  test("[A147] the hook of a read-only session refuses, whatever the settings allow", () => {
    const talk = asked({ isWritable: false });
    talk.hear({
      type: "control_request",
      request_id: "h",
      request: { subtype: "hook_callback", callback_id: "read-only" },
    });
    expect(talk.look().written).toMatchObject([
      { response: { request_id: "h", response: { hookSpecificOutput: { permissionDecision: "deny" } } } },
    ]);
  });

  test("[A674] in a read-only session settings let no command run that may do more than read, and no foreign tool", () => {
    const talk = asked({ isWritable: false });
    const decided = (tool_name: string, tool_input: Fields): unknown => {
      const request = { subtype: "hook_callback", callback_id: "read-only-run", input: { tool_name, tool_input } };
      const [written = {}] = talk.hear({ type: "control_request", request_id: "h", request }).look().written;
      const { response } = written["response"] as { response: { hookSpecificOutput?: Fields } };
      return response.hookSpecificOutput?.["permissionDecision"] ?? response;
    };
    expect(["npm run build", "curl example.org", ""].map((command) => decided("Bash", { command }))).toEqual(
      [1, 2, 3].map(() => "deny"),
    );
    expect([decided("Bash", {}), decided("mcp__hub__write", {}), decided("mcp__roundtable2__x", {})]).toEqual(
      [1, 2, 3].map(() => "deny"),
    );
    // Left to the program: what it does not know as reading it asks, and is refused.
    expect(decided("Bash", { command: "git log | head" })).toEqual({});
    expect([decided("mcp__roundtable__agents_list", {}), decided("BashOutput", {})]).toEqual([{}, {}]);
  });

  test("[A161] a request of a kind that is not known is answered with an error, so that nobody waits for ever", () => {
    const talk = asked().hear({ type: "control_request", request_id: "n", request: { subtype: "of_tomorrow" } });
    expect(talk.look().written).toMatchObject([{ response: { subtype: "error", request_id: "n" } }]);
  });
});

describe("the table's server", () => {
  const reply = (message: Fields): unknown => {
    const [written = {}] = asked().hear(mcp(message)).look().written;
    return (written["response"] as { response: Fields }).response["mcp_response"];
  };

  test("[A159] shakes hands, answers a ping and lists every tool of the table", () => {
    expect(reply({ id: 0, method: "initialize", params: { protocolVersion: "2025-06-18" } })).toMatchObject({
      id: 0,
      result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "roundtable" } },
    });
    expect(reply({ id: 5, method: "ping" })).toEqual({ jsonrpc: "2.0", id: 5, result: {} });
    const { result: list } = reply({ id: 1, method: "tools/list" }) as { result: { tools: Fields[] } };
    expect(list.tools.map((tool) => tool["name"])).toEqual(hostToolSchemas().map((tool) => tool.name));
    expect(list.tools.every((tool) => (tool["inputSchema"] as Fields)["type"] === "object")).toBe(true);
  });

  test("[A159] a method that it does not have is -32601, a notification is merely taken", () => {
    expect(reply({ id: 2, method: "server/discover" })).toMatchObject({ id: 2, error: { code: -32_601 } });
    expect(reply({ method: "notifications/initialized" })).toEqual({ jsonrpc: "2.0", id: 0, result: {} });
  });

  test("[A156] a call waits for its answer, an error is one that the model sees, a cancelled call gets none", () => {
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

  test("[A672] a call that the program cancels is closed on every screen, one that it does not wait for is nobody's", () => {
    const cancel = (requestId: number) => mcp({ method: "notifications/cancelled", params: { requestId } });
    const talk = asked().hear(mcp({ id: 3, method: "tools/call", params: { name: "user_question", arguments: {} } }));
    talk.look();
    expect(talk.hear(cancel(4)).look().events).toEqual([]);
    expect(talk.hear(cancel(3)).look().events).toEqual([{ type: "request_withdrawn", callId: "r" }]);
    expect(talk.hear(cancel(3)).look().events).toEqual([]);
  });
});
