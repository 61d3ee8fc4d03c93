import { createHash } from "node:crypto";
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { parseRule, type AlwaysAllowed, type Approval } from "../../agents/index.ts";
import { ALLOW_ONCE, DENY, FOR_ALWAYS, FOR_EDITS, FOR_SESSION, type Json } from "../../protocol/index.ts";
import { empty, fold } from "../../transcript/index.ts";
import { reopenWithEdits } from "../../../test/session/edits-granted.ts";
import { settle } from "../../../test/session/fake-clock.ts";
import type { Behaviour, Step } from "../../../test/session/scripted-agent.ts";
import { startSession, type SessionRun } from "../../../test/session/session-run.ts";
import { checkLog } from "../../../test/session/session-checker.ts";

const nowhere: AlwaysAllowed = {
  file: "approvals.json",
  has: () => false,
  list: () => [],
  add: async () => {},
  remove: async () => {},
};
const cwd = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-edits-")));
const writable = { settings: { writable: true }, cwd, kinds: { ada: "claude", bob: "codex" } } as const;

function wants(tool: string, call: string, options?: Approval["options"]): Approval {
  const callHash = createHash("sha256").update(call).digest("hex");
  const usual = [
    { label: "Allow once", value: "accept" },
    { label: "Refuse", value: "decline" },
  ];
  return { method: "approval", title: "This?", tool, call, callHash, options: options ?? usual };
}
const edit = (file_path: string) => wants("Edit", JSON.stringify({ file_path, old_string: "a" }));
const patch = (name: string) => wants("apply_patch", JSON.stringify({ changes: [{ path: name, kind: {} }] }));

/** In sequence, or all at once. */
const asking = (requests: readonly Approval[], { atOnce = false } = {}): Behaviour => ({
  script: (_input, number) => {
    const steps = requests.map((request, at): [Step, Step] => {
      const callId = `${number}-${at}`;
      return [{ type: "request", callId, request }, { untilAnswer: callId }];
    });
    return atOnce ? [...steps.map(([ask]) => ask), ...steps.map(([, wait]) => wait)] : steps.flat();
  },
});

/** Without the option that allows every file. */
const asked = (state: SessionRun) => state.events("ui_request").filter(({ timeoutMs }) => timeoutMs > 1_000);
const shown = (state: SessionRun) => asked(state).map(({ request }) => request as Approval);
const calls = (state: SessionRun) => shown(state).map(({ call }) => call);
async function answer(state: SessionRun, at: number, result: Json): Promise<void> {
  const { requestId } = asked(state)[at] ?? expect.fail("nothing was asked");
  expect(await state.command({ type: "answer", requestId, result })).toMatchObject({ ok: true });
  await settle();
}

test("approval of all files here is no longer offered; one in the log allows changes of files here, and nothing else", async () => {
  const outside = edit("/etc/hosts");
  const governing = edit(".claude/settings.json");
  const run = wants("Bash", "touch b.ts");
  const approvals = { rulesFor: () => [] };
  const first = await startSession(
    {
      ada: asking([edit("a.ts"), edit("src/b.ts"), outside, governing, run]),
      bob: asking([patch("c.ts"), wants("mcp__x__write_file", '{"path":"d.ts"}')]),
    },
    { ...writable, approvals },
  );
  await first.send("go", { to: ["ada"] });
  expect(shown(first)[0]?.options.map(({ value }) => value)).toEqual([ALLOW_ONCE, FOR_SESSION, DENY]);
  const state = await reopenWithEdits(first, { approvals });
  await state.send("again", { to: ["ada"] });
  expect(state.agents.last("ada").answers[0]?.result).toEqual({ result: "accept", error: null });
  for (const at of [1, 2, 3]) await answer(state, at, false);
  expect(calls(state).slice(1)).toEqual([outside, governing, run].map(({ call }) => call));
  await state.send("you too", { to: ["bob"] });
  expect(calls(state).slice(4)).toEqual(['{"path":"d.ts"}']);
  expect(state.events("ui_notify").map(({ member, message }) => [member, message.split("\n").at(-1)])).toEqual([
    ["ada", "Allowed without asking: every file here, for this session"],
    ["ada", "Allowed without asking: every file here, for this session"],
    ["bob", "Allowed without asking: every file here, for this session"],
  ]);
});

test("it is a fold of the log: it applies after reopening and from a snapshot, but not in a read-only session", async () => {
  const approvals = { rulesFor: () => [] };
  const first = await startSession({ ada: asking([edit("z.ts")]) }, { ...writable, approvals });
  const state = await reopenWithEdits(first, { approvals });
  await state.send("one");
  expect(shown(state)).toEqual([]);
  checkLog(state.all(), { settled: true });
  await state.session.close();
  const again = await state.reopen({ approvals });
  await again.send("two");
  expect(shown(again)).toEqual([]);
  expect(fold(empty(again.session.sessionId), again.all()).head).toEqual(again.session.transcript.head);
  await again.command({ type: "set_settings", settings: { writable: false } });
  await again.send("three");
  expect(shown(again).map(({ options }) => options.length)).toEqual([2]);
});

test("deny and ask rules about single files still apply", async () => {
  const rules = [parseRule("edit: secret/**", "ask"), parseRule("edit: lib/**", "deny")].filter(
    (one) => one !== undefined,
  );
  const approvals = { rulesFor: () => rules };
  const first = await startSession(
    { ada: asking([edit("a.ts"), edit("secret/b"), edit("lib/c"), edit("d.ts")]) },
    { ...writable, approvals },
  );
  const state = await reopenWithEdits(first, { approvals });
  await state.send("go");
  await answer(state, 0, ALLOW_ONCE);
  expect(calls(state)).toEqual([edit("secret/b").call]);
  expect(state.agents.last("ada").answers.map(({ result }) => result.result)).toEqual([
    "accept",
    "accept",
    false,
    "accept",
  ]);
});

test("a lasting approval also answers open requests that it covers", async () => {
  const run = wants("Bash", "npm test");
  const state = await startSession(
    { ada: asking([edit("a.ts"), edit("b.ts"), run, run], { atOnce: true }), bob: asking([patch("a.ts")]) },
    { ...writable, approvals: { rulesFor: () => [] } },
  );
  await state.send("go");
  expect(state.events("ui_request")).toHaveLength(5);
  await answer(state, 0, FOR_SESSION);
  expect(state.events("ui_response").map(({ member, result }) => [member, result])).toEqual([
    ["ada", FOR_SESSION],
    ["bob", ALLOW_ONCE],
  ]);
  const open = state.session.transcript.head.requests.map(({ requestId }) => requestId);
  expect(open).toHaveLength(3);
  expect(await state.command({ type: "answer", requestId: open[1] ?? "", result: FOR_SESSION })).toMatchObject({
    ok: true,
  });
  await settle();
  expect(state.session.transcript.head.requests).toHaveLength(1);
  checkLog(state.all(), { settled: false });
});

test("an agent's own option of that name widens nothing", async () => {
  const mine = [
    { label: "Allow once", value: "accept" },
    { label: "Mine", value: FOR_EDITS },
    { label: "Refuse", value: "decline" },
  ];
  const state = await startSession(
    { ada: asking([wants("Bash", "ls", mine), edit("a.ts")]) },
    { ...writable, approvals: { rulesFor: () => [], always: nowhere } },
  );
  await state.send("go");
  expect(shown(state)[0]?.options.map(({ value }) => value)).toEqual([ALLOW_ONCE, FOR_SESSION, FOR_ALWAYS, DENY]);
  const { requestId } = state.events("ui_request")[0] ?? expect.fail("nothing was asked");
  expect(await state.command({ type: "answer", requestId, result: FOR_EDITS })).toMatchObject({ ok: false });
  await answer(state, 0, ALLOW_ONCE);
  expect(calls(state)).toHaveLength(2);
});
