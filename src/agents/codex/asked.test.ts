import { expect, test } from "vitest";
import { encodeAnswer, refuseRequest, understandRequest, type AskContext, type Understood } from "./asked.ts";

const writable: AskContext = { member: "codex", isWritable: true, item: undefined };
const yes = (result: string) => ({ result, error: null });

function asked(understood: Understood) {
  if (understood.kind !== "ask") throw new Error("it was answered and not asked");
  return { asked: understood.asked, event: understood.event("call") };
}

test("[A186] a file change is asked with its diff and its whole content as the call", () => {
  const item = { changes: [{ path: "/p/a", kind: { type: "add" }, diff: "x\n" }] };
  const understood = understandRequest(
    "item/fileChange/requestApproval",
    { itemId: "i", reason: "outside" },
    { ...writable, item },
  );
  const { event, asked: what } = asked(understood);
  expect(event).toMatchObject({
    nativeToolId: "i",
    request: {
      title: "Codex wants to change files: outside",
      tool: "apply_patch",
      call: '{"changes":[{"path":"/p/a","kind":{"type":"add"},"diff":"x\\n"}]}',
      diff: "--- /dev/null\n+++ /p/a\n+x\n",
    },
  });
  expect(encodeAnswer(what, yes("acceptForSession"))).toEqual({ result: { decision: "acceptForSession" } });
});

test("[A186] more permissions are granted as they were asked for, or none at all", () => {
  const params = { itemId: "i", permissions: { network: { enabled: true }, fileSystem: null } };
  const { asked: what } = asked(understandRequest("item/permissions/requestApproval", params, writable));
  expect([encodeAnswer(what, yes("acceptForSession")), encodeAnswer(what, { result: false, error: null })]).toEqual([
    { result: { permissions: { network: { enabled: true } }, scope: "session" } },
    { result: { permissions: {}, scope: "turn" } },
  ]);
});

test("[A186] a tool of a tool server is approved through its elicitation, in the scopes that it offers", () => {
  const _meta = { codex_approval_kind: "mcp_tool_call", persist: ["session", "always"], tool_params: { path: "/x" } };
  const params = { threadId: "t", serverName: "hub", mode: "form", message: "Allow hub to run write?", _meta };
  const { asked: what, event } = asked(understandRequest("mcpServer/elicitation/request", params, writable));
  expect(event).toMatchObject({
    request: {
      title: "Allow hub to run write?",
      tool: "hub",
      call: '{"server":"hub","message":"Allow hub to run write?","arguments":{"path":"/x"}}',
      options: [{ value: "accept" }, { value: "session" }, { value: "always" }, { value: "decline" }],
    },
  });
  expect([encodeAnswer(what, yes("session")), encodeAnswer(what, { result: null, error: "expired" })]).toEqual([
    { result: { action: "accept", content: {}, _meta: { persist: "session" } } },
    { result: { action: "decline", content: null, _meta: null } },
  ]);
});

test("[A188] a form of texts and choices is asked as questions, any other form is declined", () => {
  const properties = { name: { type: "string", description: "Your name" }, size: { type: "string", enum: ["s", "m"] } };
  const params = {
    threadId: "t",
    serverName: "hub",
    mode: "form",
    message: "Order",
    requestedSchema: { type: "object", properties },
  };
  const { asked: what, event } = asked(understandRequest("mcpServer/elicitation/request", params, writable));
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

test("[A187] whatever would act is refused at once where the session may only be read", () => {
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

test("[A185] a request that nobody knows is refused by name, and a known one outside a turn by a refusal", () => {
  const unknown = understandRequest("attestation/generate", {}, writable);
  expect(refuseRequest(unknown, "over")).toEqual({
    error: { code: -32_601, message: "Roundtable does not answer attestation/generate." },
  });
  const tool = understandRequest("item/tool/call", { tool: "agents_list", arguments: {} }, writable);
  expect(refuseRequest(tool, "The turn has ended.")).toEqual({
    result: { contentItems: [{ type: "inputText", text: "The turn has ended." }], success: false },
  });
});

test("[A654] a command that is written as JSON is shown inside of JSON, so that it is read as the command", () => {
  const ask = (command: string) =>
    asked(understandRequest("item/commandExecution/requestApproval", { itemId: "i", command }, writable)).event;
  const command = '{"command":"git status","description":"$(id)"}';
  const call = JSON.stringify({ command });
  expect(ask(command)).toMatchObject({ request: { tool: "shell", call } });
  expect(ask("git status")).toMatchObject({ request: { tool: "shell", call: "git status" } });
});
