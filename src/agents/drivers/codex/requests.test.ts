import { expect, test } from "vitest";
import { describeCall } from "../../approvals/describe-call.ts";
import { encodeAnswer, refuseRequest, understandRequest, type RequestContext, type Understood } from "./requests.ts";

const writable: RequestContext = {
  member: "codex",
  isWritable: true,
  isSandboxed: false,
  deniedBy: () => undefined,
  directories: ["/p"],
  item: undefined,
  isSubagents: false,
};
const yes = (result: string) => ({ result, error: null });

function request(understood: Understood) {
  if (understood.kind !== "ask") throw new Error("it was answered and not asked");
  return { request: understood.request, event: understood.event("call") };
}

test("a file change is approved with its diff and its full content as the call", () => {
  const item = { changes: [{ path: "/p/a", kind: { type: "add" }, diff: "x\n" }] };
  const understood = understandRequest(
    "item/fileChange/requestApproval",
    { itemId: "i", reason: "outside" },
    { ...writable, item },
  );
  const { event, request: what } = request(understood);
  expect(event).toMatchObject({
    nativeToolId: "i",
    request: {
      title: "Codex wants to change files: outside",
      tool: "apply_patch",
      call: '{"changes":[{"path":"/p/a","kind":{"type":"add"},"diff":"x\\n"}]}',
      diff: "--- /dev/null\n+++ /p/a\n@@ -0,0 +1,1 @@\n+x\n",
    },
  });
  expect(encodeAnswer(what, yes("allow"))).toEqual({ result: { decision: "accept" } });
  expect(encodeAnswer(what, yes("acceptForSession"))).toEqual({ result: { decision: "decline" } });
});

test("additional permissions are granted exactly as requested and for the turn, or not at all", () => {
  const params = { itemId: "i", permissions: { network: { enabled: true }, fileSystem: null } };
  const { request: what } = request(understandRequest("item/permissions/requestApproval", params, writable));
  expect([encodeAnswer(what, yes("allow")), encodeAnswer(what, { result: false, error: null })]).toEqual([
    { result: { permissions: { network: { enabled: true } }, scope: "turn" } },
    { result: { permissions: {}, scope: "turn" } },
  ]);
});

test("an MCP tool is approved once through its elicitation", () => {
  const _meta = { codex_approval_kind: "mcp_tool_call", persist: ["session", "always"], tool_params: { path: "/x" } };
  const params = { threadId: "t", serverName: "hub", mode: "form", message: "Allow hub to run write?", _meta };
  const { request: what, event } = request(understandRequest("mcpServer/elicitation/request", params, writable));
  expect(event).toMatchObject({
    request: {
      title: "Allow hub to run write?",
      tool: "hub",
      call: '{"server":"hub","message":"Allow hub to run write?","arguments":{"path":"/x"}}',
      options: [{ value: "allow" }, { value: "deny" }],
    },
  });
  expect([encodeAnswer(what, yes("allow")), encodeAnswer(what, { result: null, error: "expired" })]).toEqual([
    { result: { action: "accept", content: {}, _meta: null } },
    { result: { action: "decline", content: null, _meta: null } },
  ]);
});

test("a form of texts and choices becomes questions; any other form is declined", () => {
  const properties = { name: { type: "string", description: "Your name" }, size: { type: "string", enum: ["s", "m"] } };
  const params = {
    threadId: "t",
    serverName: "hub",
    mode: "form",
    message: "Order",
    requestedSchema: { type: "object", properties },
  };
  const { request: what, event } = request(understandRequest("mcpServer/elicitation/request", params, writable));
  expect(event).toEqual({
    type: "request",
    callId: "call",
    request: {
      method: "question",
      title: "Order",
      questions: [
        { id: "name", text: "Your name", options: [], multiple: false, freeText: true },
        {
          id: "size",
          text: "size",
          options: [
            { label: "s", value: "s" },
            { label: "m", value: "m" },
          ],
          multiple: false,
          freeText: false,
        },
      ],
    },
  });
  expect([
    encodeAnswer(what, { result: { name: "Ann", size: "s" }, error: null }),
    encodeAnswer(what, { result: null, error: "x" }),
  ]).toEqual([
    { result: { action: "accept", content: { name: "Ann", size: "s" }, _meta: null } },
    { result: { action: "cancel", content: null, _meta: null } },
  ]);
  const odd = [
    { ...params, mode: "url", url: "https://example.org" },
    { ...params, requestedSchema: { properties: { ...properties, n: { type: "number" } } } },
  ];
  expect(odd.map((one) => understandRequest("mcpServer/elicitation/request", one, writable))).toEqual(
    odd.map(() => ({ kind: "answer", answer: { result: { action: "decline", content: null, _meta: null } } })),
  );
});

test("in a read-only session every acting request is denied immediately", () => {
  const methods = [
    "item/commandExecution/requestApproval",
    "item/fileChange/requestApproval",
    "item/permissions/requestApproval",
  ];
  const answers = methods.map((method) =>
    understandRequest(method, { command: "x" }, { ...writable, isWritable: false }),
  );
  expect(answers).toEqual([
    { kind: "answer", answer: { result: { decision: "decline" } } },
    { kind: "answer", answer: { result: { decision: "decline" } } },
    { kind: "answer", answer: { result: { permissions: {}, scope: "turn" } } },
  ]);
});

test("in our sandbox a read-only session runs commands that no rule denies, and nothing else", () => {
  const deniedBy = (tool: string, call: string) =>
    tool === "shell" && call.includes("curl") ? "shell: curl *" : undefined;
  const context: RequestContext = { ...writable, isWritable: false, isSandboxed: true, deniedBy };
  const ask = (method: string, params: object) => understandRequest(method, { ...params }, context);
  const accepted = { kind: "answer", answer: { result: { decision: "accept" } } };
  const refused = { kind: "answer", answer: { result: { decision: "decline" } } };
  expect(ask("item/commandExecution/requestApproval", { command: "ls" })).toEqual(accepted);
  expect(ask("item/commandExecution/requestApproval", { command: "curl x", networkApprovalContext: null })).toEqual({
    ...refused,
    warning: "codex was denied curl x by your rule shell: curl *.",
  });
  const networkApprovalContext = { host: "example.org", protocol: "https" };
  expect(ask("item/commandExecution/requestApproval", { command: "ls", networkApprovalContext })).toEqual(refused);
  expect(ask("item/fileChange/requestApproval", { itemId: "i" })).toEqual(refused);
  const _meta = { codex_approval_kind: "mcp_tool_call" };
  expect(ask("mcpServer/elicitation/request", { serverName: "hub", _meta })).toMatchObject({
    answer: { result: { action: "decline" } },
  });
});

test("an unknown request is rejected by name, and a known one outside a turn is denied", () => {
  const unknown = understandRequest("attestation/generate", {}, writable);
  expect(refuseRequest(unknown, "over")).toEqual({
    error: { code: -32_601, message: "Method not supported: attestation/generate." },
  });
  const tool = understandRequest("item/tool/call", { tool: "agents_list", arguments: {} }, writable);
  expect(refuseRequest(tool, "The turn has ended.")).toEqual({
    result: { contentItems: [{ type: "inputText", text: "The turn has ended." }], success: false },
  });
});

test("a command that looks like JSON is shown inside JSON, so that it reads as the command", () => {
  const ask = (command: string) =>
    request(understandRequest("item/commandExecution/requestApproval", { itemId: "i", command }, writable)).event;
  const command = '{"command":"git status","description":"$(id)"}';
  const call = JSON.stringify({ command });
  expect(ask(command)).toMatchObject({ request: { tool: "shell", call } });
  expect(ask("git status")).toMatchObject({ request: { tool: "shell", call: "git status" } });
});

function callOf(params: object): string {
  const { event } = request(understandRequest("item/commandExecution/requestApproval", { ...params }, writable));
  if (event.type !== "request" || event.request.method !== "approval") throw new Error("it asks for no approval");
  return event.request.call;
}

test("a command in another directory or environment, or with more permissions, is approved with these", () => {
  const command = "/bin/bash -lc 'rm -rf build'";
  const here = [{}, { cwd: "/p" }, { cwd: "/p/" }, { cwd: null, additionalPermissions: null, environmentId: "local" }];
  expect(here.map((more) => callOf({ command, ...more }))).toEqual(here.map(() => command));
  const additionalPermissions = { network: { enabled: true } };
  const elsewhere = [
    { cwd: "/p/sub" },
    { cwd: "/etc" },
    { environmentId: "far" },
    { cwd: "/p", additionalPermissions },
  ];
  expect(elsewhere.map((more) => JSON.parse(callOf({ command, ...more })) as unknown)).toEqual([
    { command, cwd: "/p/sub" },
    { command, cwd: "/etc" },
    { command, environmentId: "far" },
    { command, additionalPermissions },
  ]);
  const described = elsewhere.map((more) => describeCall({ tool: "shell", call: callOf({ command, ...more }) }, "/p"));
  expect(described.map(({ isWhole, subjects }) => [isWhole, subjects[0]])).toEqual(
    elsewhere.map(() => [false, { kind: "command", text: "rm -rf build" }]),
  );
});

test("a network host is approved together with the command that needs it", () => {
  const networkApprovalContext = { host: "example.org", protocol: "https" };
  expect(callOf({ networkApprovalContext })).toBe('{"host":"example.org","protocol":"https"}');
  expect(callOf({ command: "curl example.org", networkApprovalContext })).toBe(
    '{"command":"curl example.org","host":"example.org","protocol":"https"}',
  );
});

test("a file change that was not announced is denied with a warning", () => {
  const ask = (item: object | undefined) =>
    understandRequest("item/fileChange/requestApproval", { itemId: "i" }, { ...writable, item: item && { ...item } });
  const refused = {
    kind: "answer",
    answer: { result: { decision: "decline" } },
    warning: "codex asked to change files without saying which ones, and was denied.",
  };
  expect([ask(undefined), ask({}), ask({ changes: [] })]).toEqual([refused, refused, refused]);
});

test("a question that Codex answers itself after a timeout is open no longer than that", () => {
  const questions = [{ id: "q", header: "Colour", question: "Which?", options: [{ label: "Blue" }] }];
  const open = (more: object) =>
    request(understandRequest("item/tool/requestUserInput", { questions, ...more }, writable)).event;
  expect(open({ autoResolutionMs: 60_000 })).toMatchObject({ type: "request", timeoutMs: 60_000 });
  expect([open({}), open({ autoResolutionMs: null }), open({ autoResolutionMs: 0 })].map(Object.keys)).toEqual(
    [1, 2, 3].map(() => ["type", "callId", "request"]),
  );
});

test("a question for a secret is not shown, and Codex gets the reason", () => {
  const questions = [
    { id: "name", question: "Who?" },
    { id: "key", question: "Your key?", isSecret: true },
  ];
  const understood = understandRequest("item/tool/requestUserInput", { questions }, writable);
  const answers = [expect.stringContaining("question was not shown")];
  expect(understood).toEqual({
    kind: "answer",
    answer: { result: { answers: { name: { answers }, key: { answers } } } },
    warning: "codex wanted to ask for a secret, which would be stored in the log, and was denied.",
  });
});
