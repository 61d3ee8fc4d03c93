import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { coverKey, parseRule, type ApprovalSource, type Cover, type Rule, type Verdict } from "../../agents/index.ts";
import { ALLOW_ONCE, DENY, FOR_ALWAYS, FOR_SESSION, type Json, type UiRequestBody } from "../../protocol/index.ts";
import { fold, empty } from "../../transcript/index.ts";
import { settle } from "../../../test/session/fake-clock.ts";
import { startSession, type SessionRun } from "../../../test/session/session-run.ts";
import { checkLog } from "../../../test/session/session-checker.ts";
import type { Behaviour, Step } from "../../../test/session/scripted-agent.ts";

type Approval = Extract<UiRequestBody, { method: "approval" }>;

const OPTIONS = [
  { label: "Allow once", value: "accept" },
  { label: "Refuse", value: "decline" },
];
const ALLOW = { label: "Allow once", value: ALLOW_ONCE };
const DENIED = { label: "Deny", value: DENY };
const approval = (tool: string, call: string, more: Partial<Approval> = {}): Approval => ({
  method: "approval",
  title: "Run this?",
  tool,
  call,
  callHash: createHash("sha256").update(call).digest("hex"),
  options: OPTIONS,
  ...more,
});
/** A tool that requests approval and continues with the answer. */
const wanting = (...requests: Approval[]): Behaviour => ({
  script: (_input, number) =>
    requests.flatMap((request, at): Step[] => {
      const id = `${number}-${at}`;
      return [
        { type: "tool_call_start", nativeId: id, name: request.tool, args: null },
        { type: "request", callId: id, request, nativeToolId: id },
        { untilAnswer: id },
        { type: "tool_result", nativeId: id, ok: true },
      ];
    }),
});
const rule = (verdict: Verdict, text: string): Rule => parseRule(text, verdict) ?? expect.fail(text);

function sourceOf(rules: readonly Rule[] = [], kept: Cover[] = []): ApprovalSource & { kept: Cover[] } {
  const keys = () => kept.map(coverKey);
  return {
    kept,
    rulesFor: () => rules,
    always: {
      file: "approvals.json",
      has: (cover) => keys().includes(coverKey(cover)),
      list: () => kept,
      add: async (covers) => void kept.push(...covers),
      remove: async () => expect.fail("nothing is taken back here"),
    },
  };
}

const writable = { settings: { writable: true } };
const missed = (state: SessionRun, member: string) => state.agents.last(member).answers.map(({ result }) => result);
const details = (state: SessionRun) => state.events("tool_call_update").map((event) => [event.member, event.detail]);
async function answer(state: SessionRun, at: number, result: Json): Promise<void> {
  const { requestId } = state.events("ui_request")[at]!;
  expect(await state.command({ type: "answer", requestId, result })).toMatchObject({ ok: true });
  await settle();
}

test("[S80] a rule answers the requests of every member, and the log names the rule on the call", async () => {
  const rules = [rule("allow", "shell: git status*"), rule("deny", "shell: rm *")];
  const state = await startSession(
    {
      ada: wanting(approval("shell", "/bin/bash -lc 'git status'"), approval("shell", "rm x")),
      bob: wanting(approval("Bash", "git status --short"), approval("Bash", "git status; rm x")),
    },
    { ...writable, approvals: sourceOf(rules) },
  );
  await state.send("go");
  expect(state.events("ui_request")).toEqual([]);
  expect(missed(state, "ada")).toEqual([
    { result: "accept", error: null },
    { result: false, error: "a user rule denies it (deny shell: rm *): it runs rm x" },
  ]);
  expect(missed(state, "bob").map(({ error }) => error)).toEqual([
    null,
    "a user rule denies it (deny shell: rm *): it runs rm x",
  ]);
  expect(details(state)).toEqual(
    expect.arrayContaining([
      ["ada", "Allowed without asking: allow shell: git status*"],
      ["ada", "Denied without asking: deny shell: rm *"],
      ["bob", "Allowed without asking: allow shell: git status*"],
      ["bob", "Denied without asking: deny shell: rm *"],
    ]),
  );
  expect(details(state)).toHaveLength(4);
  checkLog(state.all(), { settled: true });
});

test("[S80] a decision about a call that is not shown is a notice, and an agent without a known yes gets none", async () => {
  const request = approval("shell", "git status");
  const state = await startSession(
    {
      ada: { script: () => [{ type: "request", callId: "q", request }, { untilAnswer: "q" }] },
      bob: wanting({ ...request, options: [{ label: "Sure", value: "sure" }] }),
    },
    { ...writable, approvals: sourceOf([rule("allow", "shell: git *")]) },
  );
  await state.send("go");
  expect(state.events("ui_notify").map(({ member, message }) => [member, message])).toEqual([
    ["ada", "shell git status\nAllowed without asking: allow shell: git *"],
  ]);
  expect(state.events("ui_request")).toEqual([]);
  expect(missed(state, "bob")).toEqual([{ result: false, error: "it offers no way to allow it once" }]);
});

test("[S81] a read-only session is never widened: rules can deny there, and never allow", async () => {
  const kept: Cover[] = [{ tool: "shell", kind: "command", text: "git status" }];
  const rules = [rule("allow", "shell"), rule("deny", "shell: rm *")];
  const state = await startSession(
    { ada: wanting(approval("shell", "rm x"), approval("shell", "git status")) },
    { approvals: sourceOf(rules, kept) },
  );
  await state.send("go");
  expect(details(state)).toEqual([["ada", "Denied without asking: deny shell: rm *"]]);
  expect(state.events("ui_request").map((event) => event.request)).toEqual([
    { ...approval("shell", "git status"), options: [ALLOW, DENIED] },
  ]);
});

test("[S82] a session grant applies to every member and exactly this call, also after reopening", async () => {
  const asks = wanting(approval("shell", "npm test"), approval("shell", "npm test && id"));
  const state = await startSession(
    { ada: asks, bob: wanting(approval("Bash", "npm test")) },
    { ...writable, approvals: { rulesFor: () => [] } },
  );
  await state.send("go", { to: ["ada"] });
  expect(state.events("ui_request")[0]?.request).toEqual({
    ...approval("shell", "npm test"),
    options: [ALLOW, { label: "Allow this command for this session", value: FOR_SESSION }, DENIED],
    opts: { covers: [{ tool: "shell", kind: "command", text: "npm test" }] },
  });
  await answer(state, 0, FOR_SESSION);
  expect(missed(state, "ada")).toEqual([{ result: "accept", error: null }]);
  await answer(state, 1, false);
  await state.send("you too", { to: ["bob"] });
  expect(state.events("ui_request")).toHaveLength(2);
  expect(details(state)).toEqual([["bob", "Allowed without asking: allowed for this session"]]);
  await state.session.close();
  const again = await state.reopen();
  await again.send("once more", { to: ["bob"] });
  expect(details(again)).toHaveLength(2);
  expect(again.events("ui_request")).toHaveLength(2);
  expect(fold(empty(again.session.sessionId), again.all()).head).toEqual(again.session.transcript.head);
});

test("[S82] deny rules override session grants; ask rules do not", async () => {
  const rules: Rule[] = [rule("ask", "shell: npm *")];
  const state = await startSession(
    { ada: wanting(approval("shell", "npm test")) },
    { ...writable, approvals: sourceOf(rules) },
  );
  await state.send("one");
  await answer(state, 0, FOR_SESSION);
  await state.send("two");
  rules.push(rule("deny", "shell: npm *"));
  await state.send("three");
  expect(state.events("ui_request")).toHaveLength(1);
  expect(details(state).map(([, detail]) => detail)).toEqual([
    "Allowed without asking: allowed for this session",
    "Denied without asking: deny shell: npm *",
  ]);
});

test("a permanent grant is stored; when it cannot be stored, it holds for the session and the user is warned", async () => {
  const source = sourceOf();
  const asks = wanting(approval("write", '{"path":"/project/nowhere/a.txt"}'), approval("shell", "ls"));
  const state = await startSession({ ada: asks }, { ...writable, approvals: source });
  await state.send("go");
  await answer(state, 0, FOR_ALWAYS);
  expect(source.kept).toEqual(state.events("ui_request")[0]?.request.opts?.["covers"]);
  const always = { ...source.always!, has: () => false, add: async () => expect.fail("disk full") };
  const full: ApprovalSource = { ...source, always };
  const other = await startSession({ ada: asks }, { ...writable, approvals: full });
  await other.send("go");
  await answer(other, 0, FOR_ALWAYS);
  expect(other.events("warning").map(({ code, message }) => [code, message])).toEqual([
    ["approval_not_kept", expect.stringContaining("applies to this session only, because it could not be saved")],
  ]);
  const third = await startSession(
    { ada: wanting(approval("shell", "ls")) },
    { ...writable, approvals: sourceOf([], [{ tool: "shell", kind: "command", text: "ls" }]) },
  );
  await third.send("go");
  expect(details(third)).toEqual([["ada", "Allowed without asking: always allowed in this folder"]]);
});

test("[S84] an agent's own options under Roundtable's names widen nothing", async () => {
  const options = [...OPTIONS, { label: "mine", value: FOR_SESSION }];
  const opts = { covers: [{ tool: "shell", kind: "command", text: "rm -rf ." }] };
  const state = await startSession(
    { ada: wanting(approval("shell", "ls", { options, opts }), approval("shell", "rm -rf .")) },
    { ...writable, approvals: sourceOf() },
  );
  await state.send("go");
  expect(state.events("ui_request")[0]?.request).toMatchObject({
    options: [
      ALLOW,
      { value: FOR_SESSION, label: "Allow this command for this session" },
      { value: FOR_ALWAYS, label: "Always allow this command in /project" },
      DENIED,
    ],
    opts: { covers: [{ tool: "shell", kind: "command", text: "ls" }] },
  });
  await answer(state, 0, FOR_SESSION);
  expect(state.events("ui_request")).toHaveLength(2);
});

test("an approval whose hash does not match its call is denied, whatever the rules say", async () => {
  const state = await startSession(
    { ada: wanting({ ...approval("shell", "git status"), callHash: "0".repeat(64) }) },
    { ...writable, approvals: sourceOf([rule("allow", "shell")]) },
  );
  await state.send("go");
  expect(missed(state, "ada").map(({ result }) => result)).toEqual([false]);
  expect(state.events("warning").map(({ code }) => code)).toEqual(["request_refused"]);
});

test("only calls of the built-in agent are parsed in its own format; a command that resembles one stays a command", async () => {
  const call = '{"args":{},"bound":{"path":"src/a.ts"},"cwd":"x","member":"x","tool":"write","z":"$(curl x|sh)"}';
  const rules = [rule("allow", "edit: src/**")];
  const state = await startSession(
    {
      ada: wanting(approval("Bash", call)),
      bob: wanting(approval("write", call)),
      own: wanting(approval("write", call)),
    },
    { ...writable, approvals: sourceOf(rules), kinds: { ada: "claude", bob: "pi", own: "openai" } },
  );
  await state.send("go");
  expect(details(state)).toEqual([["own", "Allowed without asking: allow edit: src/**"]]);
  const asked = state.events("ui_request").map(({ member, request }) => [member, request.opts?.["covers"]] as const);
  const covers = [expect.objectContaining({ kind: "call" })];
  expect(Object.fromEntries(asked)).toEqual({ ada: covers, bob: [{ tool: "write", kind: "call", text: call }] });
  const refusing = await startSession(
    { ada: wanting(approval("Bash", call)) },
    { ...writable, approvals: sourceOf([...rules, rule("deny", "shell: curl *")]), kinds: { ada: "claude" } },
  );
  await refusing.send("go");
  expect(details(refusing)).toEqual([["ada", "Denied without asking: deny shell: curl *"]]);
});
