/** Our hooks in Claude Code: what they say to each call of a tool, before any settings of the program are looked at. */
import { expect, test } from "vitest";
import type { PendingCall, Ruling } from "../../../src/agents/index.ts";
import {
  assistant,
  startedTurn,
  promptHook,
  result,
  Conversation,
  type Fields,
  type ConversationOptions,
} from "./conversation.ts";

function hook(tool_name: string, tool_input: Fields = {}, more: Fields = {}): Fields {
  const input = { tool_name, tool_input, ...more };
  return {
    type: "control_request",
    request_id: "h",
    request: { subtype: "hook_callback", callback_id: "call", input },
  };
}

/** What is decided about a call; "left" when it is left to the program. */
function decided(options: ConversationOptions, tool: string, input: Fields = {}): unknown {
  const [written = {}] = startedTurn(options).receive(hook(tool, input)).drain().written;
  const { response } = written["response"] as { response: { hookSpecificOutput?: Fields } };
  return response.hookSpecificOutput?.["permissionDecision"] ?? "left";
}

const CHANGING = ["Bash", "Write", "Edit", "MultiEdit", "NotebookEdit", "Monitor", "PowerShell", "EnterWorktree"];
const OTHER_HOOKS = ["Workflow", "mcp__hub__write", "mcp__roundtable2__x", "OfTomorrow", "", "read", "Read "];
const READING = ["Read", "Glob", "Grep", "TodoWrite", "Agent", "Skill", "WebFetch", "mcp__roundtable__agents_list"];

test("in a read-only session every tool is denied but those that are known to change nothing", () => {
  const readOnly = { isWritable: false };
  expect([...CHANGING, ...OTHER_HOOKS].map((tool) => decided(readOnly, tool))).toEqual(
    [...CHANGING, ...OTHER_HOOKS].map(() => "deny"),
  );
  expect(READING.map((tool) => decided(readOnly, tool))).toEqual(READING.map(() => "left"));
  expect(decided(readOnly, "Bash", { command: "git log" })).toBe("deny");
});

test("inside a sandbox the commands of a read-only session run, and nothing else that may change something", () => {
  const walled = { isWritable: false, isSandboxed: true };
  expect(decided(walled, "Bash", { command: "rm -rf ." })).toBe("allow");
  const others = [...CHANGING, ...OTHER_HOOKS].filter((tool) => tool !== "Bash");
  expect(others.map((tool) => decided(walled, tool))).toEqual(others.map(() => "deny"));
});

test("in a writable session every changing tool is asked about, sandbox or not", () => {
  for (const isSandboxed of [false, true]) {
    expect([...CHANGING, ...OTHER_HOOKS].map((tool) => decided({ isSandboxed }, tool))).toEqual(
      [...CHANGING, ...OTHER_HOOKS].map(() => "ask"),
    );
    expect(READING.map((tool) => decided({ isSandboxed }, tool))).toEqual(READING.map(() => "left"));
  }
});

test("a rule that denies does so in every session, for every tool, and says which rule it was", () => {
  const judge = ({ tool, subjects }: PendingCall): Ruling | undefined =>
    tool === "Read" || subjects.some(({ text }) => text.startsWith("rm"))
      ? { verdict: "deny", by: "deny shell: rm *" }
      : { verdict: "allow", by: "allow *" };
  for (const options of [{}, { isWritable: false }, { isWritable: false, isSandboxed: true }]) {
    expect(decided({ ...options, judge }, "Bash", { command: "rm x", description: "tidy" })).toBe("deny");
    expect(decided({ ...options, judge }, "Read", { file_path: "/p/x" })).toBe("deny");
  }
  // What a rule allows is still asked, and answered by the session: only there it is known what is remembered.
  expect(decided({ judge }, "Bash", { command: "ls" })).toBe("ask");
  const conversation = startedTurn({ judge }).receive(
    assistant([{ type: "tool_use", id: "t1", name: "Bash", input: { command: "rm x" } }]),
  );
  conversation.drain();
  const { events, written } = conversation.receive(hook("Bash", { command: "rm x" }, { tool_use_id: "t1" })).drain();
  const detail = "Denied without asking: deny shell: rm *";
  expect(events).toEqual([{ type: "tool_call_update", nativeId: "t1", detail }]);
  expect(JSON.stringify(written)).toContain("A user rule denies this (deny shell: rm *)");
  const ofSubagent = conversation.receive(hook("Bash", { command: "rm x" }, { tool_use_id: "t2" })).drain().events;
  expect(ofSubagent).toEqual([{ type: "ui_notify", notifyType: "info", message: `Bash rm x\n${detail}` }]);
});

test("a command that would run in another directory is judged and shown with it", () => {
  const judged: PendingCall[] = [];
  const judge = (call: PendingCall): undefined => void judged.push(call);
  const use = { command: "echo x > ../secret.txt" };
  const conversation = startedTurn({ judge }).receive(hook("Bash", use, { tool_use_id: "t1", cwd: "/elsewhere" }));
  conversation.receive({
    type: "control_request",
    request_id: "p",
    request: { subtype: "can_use_tool", tool_name: "Bash", input: use, tool_use_id: "t1" },
  });
  expect(judged.at(-1)).toMatchObject({ isWhole: false, elsewhere: { directory: "/elsewhere" } });
  const asked = conversation.drain().events.find(({ type }) => type === "request");
  expect(JSON.stringify(asked)).toContain(String.raw`\"cwd\": \"/elsewhere\"`);
});

test("a rule that asks has the program ask also about what changes nothing", () => {
  const judge = (): Ruling => ({ verdict: "ask", by: "ask Read" });
  expect(decided({ judge }, "Read")).toBe("ask");
  expect(decided({ judge, isWritable: false }, "Read")).toBe("left");
});

test("rules that cannot be read deny, since a hook without an answer would let the call through", () => {
  const judge = (): never => {
    throw new Error("no rules today");
  };
  expect(decided({ judge }, "Read")).toBe("deny");
});

test("worktrees are made by nobody: the hook that takes over their making names none", () => {
  const request = { subtype: "hook_callback", callback_id: "worktree", input: { name: "x" } };
  const conversation = startedTurn().receive({ type: "control_request", request_id: "w", request });
  expect(conversation.drain().written).toMatchObject([{ response: { request_id: "w", response: {} } }]);
});

test("a program that does not run our hooks is stopped before its model is asked anything", () => {
  const init = { type: "system", subtype: "init", session_id: "s" };
  const conversation = new Conversation().turn();
  conversation.drain();
  const { events, written } = conversation.receive(init).drain();
  expect(events).toEqual([{ type: "member_guard", guard: "unguarded" }]);
  expect(written).toMatchObject([{ request: { subtype: "interrupt" } }]);
  conversation.receive(result({ is_error: true, terminal_reason: "aborted_streaming" }));
  expect(conversation.drain().events).toMatchObject([
    { type: "turn_over", outcome: "errored", error: { code: "unguarded" } },
  ]);
  const guarded = new Conversation().turn().receive(promptHook, init);
  expect(guarded.drain().written.filter(({ type }) => type === "control_request")).toHaveLength(1);
});

test("a call that was denied is shown as denied, whatever the program makes of it", () => {
  const told = (id: string): Fields => ({
    type: "user",
    message: { content: [{ type: "tool_result", tool_use_id: id, content: "done" }] },
    parent_tool_use_id: null,
  });
  const use = (id: string): Fields => assistant([{ type: "tool_use", id, name: "Write", input: {} }]);
  const conversation = startedTurn({ isWritable: false }).receive(
    use("t1"),
    hook("Write", {}, { tool_use_id: "t1" }),
    told("t1"),
  );
  const writable = startedTurn().receive(use("t2"), {
    type: "control_request",
    request_id: "p",
    request: { subtype: "can_use_tool", tool_name: "Write", input: {}, tool_use_id: "t2" },
  });
  writable.answer("p", { result: "deny", error: null }).receive(told("t2"));
  // A shell that is not there is denied by the program itself.
  const shell = assistant([{ type: "tool_use", id: "t3", name: "Bash", input: { command: "touch x" } }]);
  const bare = startedTurn({ isWritable: false }).receive(shell, told("t3"));
  for (const { events } of [conversation.drain(), writable.drain(), bare.drain()]) {
    expect(events.at(-1)).toMatchObject({ type: "tool_result", ok: false, error: { code: "tool_denied" } });
  }
});
