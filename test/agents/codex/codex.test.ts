import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { joinText } from "../join-text.ts";
import { hostToolSchemas } from "../../../src/protocol/index.ts";
import { openHost, type CodexHost } from "./codex-host.ts";

let host: CodexHost;
beforeEach(() => {
  host = openHost();
});
afterEach(async () => {
  await host.close();
});

const CALL = "/bin/bash -lc 'rm -rf x'";
const AMENDMENT = '{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["rm","-rf"]}}';

test("an approval has the exact call, its hash and two choices", async () => {
  const probe = await host.start();
  probe.ask("approval");
  const { request, nativeToolId } = await probe.next("request");
  expect({ request, nativeToolId }).toEqual({
    request: {
      method: "approval",
      title: "Codex wants to run a command",
      tool: "shell",
      call: CALL,
      callHash: createHash("sha256").update(CALL).digest("hex"),
      options: [
        { label: "Allow once", value: "allow" },
        { label: "Deny", value: "deny" },
      ],
    },
    nativeToolId: "call-turn-1",
  });
});

test.each([
  ["allow", { result: "allow", error: null }, '"accept"'],
  ["deny", { result: "deny", error: null }, '"decline"'],
  ["Codex's own amendment of its rules", { result: AMENDMENT, error: null }, '"decline"'],
  ["false", { result: false, error: null }, '"decline"'],
  ["nothing in time", { result: null, error: "expired" }, '"decline"'],
  ["a choice that was not offered", { result: "acceptForSession", error: null }, '"decline"'],
])("an answer of %s reaches Codex as once or no, never as more", async (_name, given, told) => {
  const probe = await host.start();
  probe.ask("approval");
  const { callId } = await probe.next("request");
  probe.agent.answer(callId, given);
  await probe.next("turn_done");
  expect(probe.text()).toBe(`decided: ${told}`);
});

test("why a call was denied reaches the model in the running turn, before the denial", async () => {
  const probe = await host.start();
  probe.ask("approval");
  const { callId } = await probe.next("request");
  probe.agent.answer(callId, { result: "deny", error: null, reason: "use pnpm" });
  await probe.next("turn_done");
  expect(probe.text()).toBe(`steered: The user denied ${CALL}: use pnpmdecided: "decline"`);
});

test("in a read-only session approvals are denied unasked, and the thread is read-only", async () => {
  const probe = await host.start({ isReadOnly: true });
  await probe.run("approval");
  expect({ text: probe.text(), asked: probe.all("request") }).toEqual({ text: 'decided: "decline"', asked: [] });
  expect(probe.all("tool_result").map(({ error }) => error?.code)).toEqual(["tool_denied"]);
  const [started] = host.log().flatMap(({ thread }) => (thread === undefined ? [] : [thread]));
  expect({ sandbox: started?.["sandbox"], policy: started?.["approvalPolicy"] }).toEqual({
    sandbox: "read-only",
    policy: "never",
  });
});

test("in a writable session Codex works in its workspace sandbox and asks before what it does not trust", async () => {
  const probe = await host.start();
  await probe.run("hello");
  const [started] = host.log().flatMap(({ thread }) => (thread === undefined ? [] : [thread]));
  expect({ sandbox: started?.["sandbox"], policy: started?.["approvalPolicy"], cwd: started?.["cwd"] }).toEqual({
    sandbox: "workspace-write",
    policy: "untrusted",
    cwd: host.dataDir,
  });
});

test("a question of Codex is emitted as one, and answered by its id", async () => {
  const probe = await host.start();
  probe.ask("question");
  const { callId, request } = await probe.next("request");
  expect(request).toEqual({
    method: "question",
    title: "Colour",
    questions: [
      {
        id: "q",
        text: "Which?",
        options: [{ label: "Blue", value: "Blue", description: "like the sea" }],
        multiple: false,
        freeText: false,
      },
    ],
  });
  probe.agent.answer(callId, { result: { q: "Blue" }, error: null });
  await probe.next("turn_done");
  expect(probe.text()).toBe('answered: {"q":{"answers":["Blue"]}}');
});

test("our tools are offered as dynamic tools, and a call of one is a host call with one tool block", async () => {
  const probe = await host.start();
  probe.ask("our tool");
  const call = await probe.next("host_call");
  expect({ tool: call.tool, args: call.args }).toEqual({ tool: "agents_list", args: {} });
  probe.agent.answer(call.callId, { result: { members: 2 }, error: null });
  await probe.next("turn_done");
  expect(probe.text()).toBe('tool said: {"members":2}');
  expect(probe.all("tool_result").map(({ nativeId, ok }) => [nativeId, ok])).toEqual([["dyn", true]]);
  const [started] = host.log().flatMap(({ thread }) => (thread === undefined ? [] : [thread]));
  const offered = ((started ?? {})["dynamicTools"] as { name: string }[]).map(({ name }) => name);
  expect(offered).toEqual(hostToolSchemas().map(({ name }) => name));
});

test("a tool of ours that fails is a failed result that the model sees", async () => {
  const probe = await host.start();
  probe.ask("our tool");
  const { callId } = await probe.next("host_call");
  probe.agent.answer(callId, { result: null, error: "nobody is there" });
  await probe.next("turn_done");
  expect(probe.text()).toBe("tool said: nobody is there");
  expect(probe.all("tool_result").map(({ ok, error }) => [ok, error?.code])).toEqual([[false, "tool_error"]]);
});

test("a thread from before is resumed, and its old tokens are not this turn's", async () => {
  const probe = await host.start({ nativeSessionId: "known-7" });
  const end = await probe.run("hello");
  expect(probe.all("member_session").map((one) => one.nativeSessionId)).toEqual(["known-7"]);
  expect({ input: end.usage?.inputTokens, output: end.usage?.outputTokens }).toEqual({ input: 100, output: 10 });
});

test("a thread that Codex does not know becomes a new one, with a warning", async () => {
  const probe = await host.start({ nativeSessionId: "gone-7" });
  expect((await probe.run("hello")).outcome).toBe("completed");
  expect(probe.all("warning").map(({ code }) => code)).toEqual(["session_lost"]);
  expect(probe.all("member_session").map((one) => one.nativeSessionId.startsWith("thread-"))).toEqual([true]);
});

test("the model of a turn is the turn's own, otherwise the member's", async () => {
  const probe = await host.start({ model: "gpt-own" });
  await probe.run("hello");
  probe.agent.send({ kind: "turn", turnId: "two", text: "hello", attachments: [], model: "gpt-other" });
  await probe.next("turn_done", probe.events.length);
  expect(host.log().flatMap(({ turn }) => (turn === undefined ? [] : [turn.model]))).toEqual(["gpt-own", "gpt-other"]);
});

test("a broken stream is shown as a retry, and its text is retracted", async () => {
  const probe = await host.start();
  await probe.run("retries");
  const shown = joinText(probe.events.filter(({ type }) => /^text|retrying/.test(type)));
  expect(shown).toEqual([
    { type: "text_delta", text: "half of an ans" },
    { type: "retrying", attempt: 1, of: 2, delayMs: 0, reason: "stream disconnected" },
    { type: "text_retracted", reason: "stream disconnected" },
    { type: "text_delta", text: "the whole answer" },
    { type: "text_done", text: "the whole answer" },
  ]);
});

test("a turn that Codex fails ends errored with its reason and what to do", async () => {
  const probe = await host.start();
  const end = await probe.run("fails");
  expect({ outcome: end.outcome, error: end.error }).toEqual({
    outcome: "errored",
    error: {
      code: "unauthorized",
      message: "codex failed: no more.",
      hint: `Run "codex login", or export the variable that holds its key and open the session again.`,
    },
  });
});

test("a server that opens no thread ends the turn errored, and the next turn asks again", async () => {
  const probe = await host.start({ faults: ["--no-threads"] });
  const ends = [await probe.run("hello", "one"), await probe.run("hello", "two")];
  expect(ends.map(({ error }) => error?.message)).toEqual([
    "codex could not open a thread: no threads today.",
    "codex could not open a thread: no threads today.",
  ]);
});

test.for([
  { faults: [], mode: "legacy" },
  { faults: ["--pages-only"], mode: undefined },
])("a thread is kept as one whole history where Codex knows that: $faults", async ({ faults, mode }) => {
  const probe = await host.start({ faults });
  const { outcome } = await probe.run("hello");
  const opened = host.log().flatMap(({ thread }) => (thread === undefined ? [] : [thread]));
  expect({ outcome, modes: opened.map((thread) => (thread as { historyMode?: string }).historyMode) }).toEqual({
    outcome: "completed",
    modes: [mode],
  });
});

test("a steer that stops the streamed message takes it back, and what follows is the answer", async () => {
  const probe = await host.start();
  probe.ask("endless");
  await probe.next("text_delta");
  probe.agent.send({ kind: "steer", messageId: "message-2", text: "say this" });
  await probe.next("text_done");
  probe.agent.interrupt();
  await probe.next("turn_done");
  const shown = probe.events.filter(({ type }) => /^text_(retracted|done)|steered/.test(type));
  expect(shown).toEqual([
    { type: "steered", messageId: "message-2" },
    { type: "text_retracted", reason: "steered" },
    { type: "text_done", text: "steered: say this" },
  ]);
});
