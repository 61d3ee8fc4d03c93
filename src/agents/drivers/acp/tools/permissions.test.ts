import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { replayTrace } from "../../../../../test/agents/acp/replay-trace.ts";
import { coversOf } from "../../../approvals/pending-call.ts";
import { describeCall } from "../../../approvals/describe-call.ts";
import { judgeCall } from "../../../approvals/judge-call.ts";
import { parseRule, type Verdict } from "../../../approvals/rule.ts";
import type { DialectEvent } from "../../../process/dialect.ts";
import { createAcpDialect } from "../parse.ts";

interface PendingRequest {
  readonly tool: string;
  readonly call: string;
  readonly diff?: string | undefined;
}

/** Request shown to the user when this agent has sent `before` and requests approval of the call. */
function askedBy(
  agent: string,
  toolCall: object,
  { cwd = "/p", before = [] as readonly object[] } = {},
): PendingRequest {
  const dialect = createAcpDialect({ member: "m", cwd, isWritable: true, mcpServers: [], canSteer: false });
  const events: DialectEvent[] = [];
  let { state } = dialect.begin({ nativeSessionId: undefined });
  const hear = (message: object) => {
    const step = dialect.parse(state, JSON.stringify(message));
    ({ state } = step);
    events.push(...(step.events ?? []));
  };
  hear({ id: 1, result: { protocolVersion: 1, agentInfo: { name: agent } } });
  hear({ id: 2, result: { sessionId: "s" } });
  ({ state } = dialect.encodeTurn(state, { kind: "turn", turnId: "t", text: "hi", attachments: [] }));
  for (const update of before) hear({ method: "session/update", params: { sessionId: "s", update } });
  const options = [{ optionId: "once", name: "Allow", kind: "allow_once" }];
  hear({ id: 9, method: "session/request_permission", params: { sessionId: "s", toolCall, options } });
  return onlyAsked(events).at(-1) ?? expect.fail("nobody was asked");
}

function onlyAsked(events: readonly DialectEvent[]): PendingRequest[] {
  return events.flatMap((event) =>
    event.type === "request" && event.request.method === "approval" ? [event.request] : [],
  );
}

/** Verdict of one rule; undefined when it does not match. */
function ruling(verdict: Verdict, text: string, updated: PendingRequest, cwd = "/p"): string | undefined {
  const rule = parseRule(text, verdict) ?? expect.fail(text);
  return judgeCall([rule], describeCall(updated, cwd))?.verdict;
}

function scratch(): string {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-acp-asks-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test("acting calls fall under the rules for their kind, whatever title the model gives them", () => {
  const call = { toolCallId: "call_1", title: "WebFetch", kind: "execute", rawInput: { command: "rm x" } };
  const updated = askedBy("Copilot", call, { before: [{ ...call, sessionUpdate: "tool_call", status: "pending" }] });
  expect(updated).toMatchObject({ tool: "execute", call: "rm x" });
  expect(ruling("allow", "WebFetch", updated)).toBeUndefined();
  expect(ruling("deny", "shell: rm *", updated)).toBe("deny");
  for (const kind of ["execute", "edit", "delete", "move"]) {
    expect(askedBy("Copilot", { toolCallId: "call_1", title: "WebFetch", kind }).tool).toBe(kind);
    expect(askedBy("Copilot", { toolCallId: "WebFetch-1", title: "a b", kind }).tool).toBe(kind);
  }
  expect(askedBy("Copilot", { ...call, kind: "fetch" }).tool).toBe("WebFetch");
});

test("a word mistaken for the tool name is dropped when the call turns out to act", () => {
  const before = [{ sessionUpdate: "tool_call", toolCallId: "call_1", title: "WebFetch", status: "pending" }];
  const call = { toolCallId: "call_1", kind: "execute", rawInput: { command: "rm x" } };
  expect(askedBy("Copilot", call, { before })).toMatchObject({ tool: "execute", call: "rm x" });
  const update = { ...call, sessionUpdate: "tool_call_update", status: "pending" };
  const later = { toolCallId: "call_1", title: "WebFetch" };
  expect(askedBy("Copilot", later, { before: [...before, update] })).toMatchObject({ tool: "execute", call: "rm x" });
});

test("a tool name reported by the agent is trusted if rules know it", () => {
  const begun = (title: string, kind: string) => ({
    before: [{ sessionUpdate: "tool_call", toolCallId: "call_1", title, kind, status: "pending" }],
  });
  const call = (kind: string) => ({ toolCallId: "call_1", title: "b", kind });
  expect(askedBy("OpenCode", call("execute"), begun("bash", "execute")).tool).toBe("bash");
  expect(askedBy("OpenCode", call("edit"), begun("write", "edit")).tool).toBe("write");
  expect(askedBy("OpenCode", call("execute"), begun("webfetch", "execute")).tool).toBe("execute");
  expect(askedBy("OpenCode", { ...call("execute"), title: "bash" }).tool).toBe("execute");
  expect(askedBy("pi-acp", call("execute"), begun("bash", "execute")).tool).toBe("execute");
  expect(askedBy("gemini-cli", { toolCallId: "replace__call_1", kind: "edit" }).tool).toBe("replace");
  expect(askedBy("some-agent", { toolCallId: "replace__call_1", kind: "edit" }).tool).toBe("edit");
});

test("arguments beside a command are part of the call, and no rule allows them unseen", () => {
  const updated = (rawInput: object) => askedBy("a", { toolCallId: "t", title: "x", kind: "execute", rawInput });
  const command = "git status";
  for (const beside of [{ workdir: "/etc" }, { cwd: "/etc" }, { env: { PATH: "/x" } }, { commands: ["rm"] }]) {
    const one = updated({ command, ...beside });
    expect(one.call).toBe(JSON.stringify({ command, ...beside }));
    expect(ruling("allow", "shell: git *", one)).toBeUndefined();
    expect(ruling("deny", "shell: git *", one)).toBe("deny");
  }
  const nothing = { description: "look", timeout: 5, cwd: "/p", commands: [], env: {}, shell: null };
  expect(updated({ command, ...nothing }).call).toBe(command);
  expect(ruling("allow", "shell: git *", updated({ command, ...nothing }))).toBe("allow");
});

test("another directory that Gemini CLI reports with a command is part of the call", () => {
  const updated = (text: string) =>
    askedBy("gemini-cli", {
      toolCallId: "run_shell_command__call_1",
      title: "git status",
      kind: "execute",
      content: [{ type: "content", content: { type: "text", text } }],
      locations: [],
    });
  expect(updated("[current working directory /p] ([in /etc])").call).toBe("git status");
  expect(JSON.parse(updated("[in /etc] (look)").call)).toEqual({ command: "git status", details: "[in /etc] (look)" });
  expect(ruling("allow", "shell: git *", updated("[in /etc] (look)"))).toBeUndefined();
});

test("a command that looks like JSON is shown inside JSON, so that it reads as the command", () => {
  const command = '{"command":"git status","description":"$(id)"}';
  const execute = { toolCallId: "t", kind: "execute" };
  for (const call of [
    { ...execute, title: "x", rawInput: { command } },
    { ...execute, title: command },
  ]) {
    expect(askedBy("a", call).call).toBe(JSON.stringify({ command }));
    expect(ruling("allow", "shell: git *", askedBy("a", call))).toBeUndefined();
  }
});

test.each([
  ["acp-gemini", "roundtable-tools", "/project", "replace", "hello.txt"],
  ["acp-gemini", "tool-write", "/home/user/project/acp", "write_file", "acp-acp-gemini.txt"],
  ["acp-opencode", "roundtable-tools", "/project", "edit", "hello.txt"],
  ["acp-claude", "tool-write", "/home/user/project/acp", "Write", "acp-acp-claude.txt"],
])("the change that %s asks for in %s is one of its file", (agent, scenario, recordedIn, tool, file) => {
  const cwd = scratch();
  const updated = onlyAsked(replayTrace(agent, scenario).events)
    .filter((one) => one.tool === tool)
    .map((one) => ({ tool, call: one.call.replaceAll(`${recordedIn}/`, `${cwd}/`) }));
  expect(updated.map((one) => coversOf(describeCall(one, cwd)))).toEqual([
    [{ tool: "edit", kind: "path", text: file }],
  ]);
  const [one = expect.fail()] = updated;
  expect(ruling("allow", "edit: *.txt", one, cwd)).toBe("allow");
  expect(ruling("deny", `edit: ${file}`, one, cwd)).toBe("deny");
  expect(ruling("allow", "edit: src/**", one, cwd)).toBeUndefined();
});

test("an edit of an allowed and another file is not allowed, and a command with locations is not an edit", () => {
  const cwd = scratch();
  const inside = path.join(cwd, "src", "a.ts");
  const other = path.join(cwd, "b.ts");
  const diff = { type: "diff", path: inside, oldText: "a", newText: "b" };
  const edit = { toolCallId: "replace__call_1", title: "t", kind: "edit", content: [diff] };
  const judged = (call: object) => ruling("allow", "edit: src/**", askedBy("gemini-cli", call, { cwd }), cwd);
  expect(judged({ ...edit, locations: [{ path: inside }] })).toBe("allow");
  expect(judged({ ...edit, locations: [{ path: inside }, { path: other }] })).toBeUndefined();
  expect(judged({ ...edit, content: [diff, { ...diff, path: other }], locations: [{ path: inside }] })).toBeUndefined();
  expect(judged({ ...edit, rawInput: { filepath: other }, locations: [{ path: inside }] })).toBeUndefined();
  expect(judged({ ...edit, content: [], locations: [{ path: inside }] })).toBeUndefined();
  for (const kind of ["delete", "move"])
    expect(judged({ ...edit, kind, locations: [{ path: inside }] })).toBeUndefined();
  const command = { toolCallId: "run_shell_command__call_1", title: "rm x", kind: "execute" };
  const updated = askedBy("gemini-cli", { ...command, content: [diff], locations: [{ path: inside }] }, { cwd });
  expect(describeCall(updated, cwd).changesFiles).toBe(false);
  expect(ruling("deny", "shell: rm *", updated, cwd)).toBe("deny");
  expect(ruling("allow", "edit: src/**", updated, cwd)).toBeUndefined();
});

test("a change too long for its diff is shown by its arguments; one without any is denied", () => {
  const diff = { type: "diff", path: "/p/a", oldText: "x\n".repeat(150_000), newText: "y\n".repeat(150_000) };
  const edit = { toolCallId: "t", title: "edit", kind: "edit", content: [diff] };
  const args = { filePath: "/p/a", newString: "EVIL" };
  const shown = askedBy("opencode", { ...edit, rawInput: args });
  expect(shown).toMatchObject({ call: expect.stringContaining("EVIL"), tool: "edit" });
  expect(shown.diff).toBeUndefined();
  expect(() => askedBy("opencode", edit)).toThrow("nobody was asked");
});
