import { createHash } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import {
  coverKey,
  parseRule,
  type Approval,
  type ApprovalSource,
  type Cover,
  type Verdict,
} from "../../agents/index.ts";
import {
  ALLOW_ONCE,
  FOR_ALWAYS,
  FOR_SESSION,
  Permissions,
  Revoked,
  type Ack,
  type Json,
} from "../../protocol/index.ts";
import { empty, eventLine, fold, loadedMessages } from "../../transcript/index.ts";
import { reopenWithEdits } from "../../../test/session/edits-granted.ts";
import { createFakeClock, settle } from "../../../test/session/fake-clock.ts";
import { createDisk, MemoryLog } from "../../../test/session/memory-log.ts";
import { reopenOn, startSession, type SessionRun } from "../../../test/session/session-run.ts";
import { checkLog } from "../../../test/session/session-checker.ts";
import type { Behaviour, Step } from "../../../test/session/scripted-agent.ts";
import { copyFork, createCopyClock } from "../fork/copy.ts";

const cwd = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-permissions-")));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const writable = { settings: { writable: true }, cwd, kinds: { ada: "claude", bob: "codex" } } as const;

function approval(tool: string, call: string): Approval {
  const options = [
    { label: "Allow once", value: "accept" },
    { label: "Refuse", value: "decline" },
  ];
  const callHash = createHash("sha256").update(call).digest("hex");
  return { method: "approval", title: "This?", tool, call, callHash, options };
}
const run = (command: string) => approval("Bash", command);
const edit = (file_path: string) => approval("Edit", JSON.stringify({ file_path }));

/** One after another, in each of its turns. */
const wanting = (...requests: Approval[]): Behaviour => ({
  script: (_input, number) =>
    requests.flatMap((request, at): Step[] => {
      const callId = `${number}-${at}`;
      return [{ type: "request", callId, request }, { untilAnswer: callId }];
    }),
});

/** Store of permanent grants shared by all sessions, and its content. */
function sourceOf(rules: readonly (readonly [Verdict, string])[] = [], kept: Cover[] = []) {
  const source = {
    kept,
    isFull: false,
    rulesFor: () =>
      rules.map(([verdict, text]) => ({
        ...(parseRule(text, verdict) ?? expect.fail(text)),
        from: "config.jsonc:1:1",
      })),
    always: {
      file: "approvals.json",
      has: (cover: Cover) => kept.some((one) => coverKey(one) === coverKey(cover)),
      list: () => [...kept],
      async add(covers: readonly Cover[]) {
        if (source.isFull) throw new Error("disk full");
        kept.push(...covers);
      },
      async remove(cover: Cover) {
        if (source.isFull) throw new Error("disk full");
        kept.splice(0, Infinity, ...kept.filter((one) => coverKey(one) !== coverKey(cover)));
      },
    },
  };
  return source satisfies ApprovalSource;
}

async function answer(state: SessionRun, at: number, result: Json): Promise<void> {
  const { requestId } = state.events("ui_request")[at] ?? expect.fail(`request ${at} was not asked`);
  expect(await state.command({ type: "answer", requestId, result })).toMatchObject({ ok: true });
  await settle();
}

const resultOf = (ack: Ack) => (ack.ok ? ack.result : expect.fail(ack.error.message));
async function list(state: SessionRun): Promise<Permissions> {
  return Permissions.parse(resultOf(await state.command({ type: "list_permissions" })));
}
async function takeBack(state: SessionRun, rule: string): Promise<Revoked> {
  const { permissions } = await list(state);
  const { permissionId = "" } = permissions.findLast((one) => one.rule === rule && one.permissionId) ?? {};
  return Revoked.parse(resultOf(await state.command({ type: "revoke_permission", permissionId })));
}
const asked = (state: SessionRun) => state.events("ui_request").map(({ request }) => (request as Approval).call);
const shown = (permissions: Permissions) =>
  permissions.permissions.map(({ verdict, rule, reach }) => [verdict, reach, rule]);

test("permissions are listed in order of precedence, each with its source", async () => {
  const rules = [
    ["ask", "edit: lib/**"],
    ["allow", "shell: git *"],
    ["deny", "shell: rm *"],
  ] as const;
  const source = sourceOf(rules, [{ tool: "edit", kind: "path", text: "a.ts" }]);
  const first = await startSession({ ada: wanting(run("npm test")) }, { ...writable, approvals: source });
  await first.send("go");
  await answer(first, 0, FOR_SESSION);
  const state = await reopenWithEdits(first, { approvals: source });
  const listed = await list(state);
  expect({ ...listed, permissions: shown(listed) }).toEqual({
    writable: true,
    cwd,
    leftOut: 0,
    permissions: [
      ["deny", "rule", "shell: rm *"],
      ["allow", "session", "shell: npm test"],
      ["ask", "rule", "edit: lib/**"],
      ["allow", "rule", "shell: git *"],
      ["allow", "edits", ""],
      ["allow", "always", "edit: a.ts"],
    ],
  });
  const given = { member: "ada", ts: first.clock.now(), permissionId: expect.any(String) };
  expect(listed.permissions.map(({ verdict: _verdict, reach: _reach, rule: _rule, ...origin }) => origin)).toEqual([
    { from: "config.jsonc:1:1" },
    given,
    { from: "config.jsonc:1:1" },
    { from: "config.jsonc:1:1" },
    given,
    { from: "approvals.json", permissionId: expect.any(String) },
  ]);
  expect(state.typesAfter(0)).not.toContain("permission_revoked");
});

test("long rules are truncated and at most a thousand are listed, with the number of the others", async () => {
  const kept = Array.from({ length: 1_200 }, (_, at): Cover => ({ tool: "shell", kind: "command", text: `x${at}` }));
  kept[0] = { tool: "shell", kind: "command", text: "x".repeat(5_000) };
  const state = await startSession({ ada: {} }, { ...writable, approvals: sourceOf([], kept) });
  const { permissions, leftOut } = await list(state);
  expect([permissions.length, leftOut, permissions[0]?.rule.length]).toEqual([1_000, 200, 1_000]);
  const { permissionId = "" } = permissions[0] ?? {};
  expect(await state.command({ type: "revoke_permission", permissionId })).toMatchObject({ ok: true });
  expect(kept).toHaveLength(1_199);
});

test("[S316] a grant revoked in the session applies from the next call on, also in a running turn", async () => {
  const calls = [run("npm test"), run("ls"), run("npm test"), edit("a.ts"), run("ls"), edit("b.ts")];
  const first = await startSession({ ada: wanting(...calls) }, { ...writable, approvals: sourceOf() });
  const state = await reopenWithEdits(first, { approvals: sourceOf() });
  await state.send("go");
  await answer(state, 1, FOR_SESSION);
  expect(await takeBack(state, "shell: npm test")).toEqual({ reach: "session", rule: "shell: npm test", now: "ask" });
  await answer(state, 2, ALLOW_ONCE);
  await answer(state, 3, ALLOW_ONCE);
  expect(await takeBack(state, "")).toEqual({ reach: "edits", rule: "", now: "ask" });
  await answer(state, 4, ALLOW_ONCE);
  await answer(state, 5, ALLOW_ONCE);
  const unasked = calls.filter(({ call }) => call !== edit("a.ts").call);
  expect([asked(state).slice(1), state.events("turn_start").length]).toEqual([unasked.map(({ call }) => call), 1]);
  expect(state.events("permission_revoked").map(({ reach, cover, clientId }) => [reach, cover, clientId])).toEqual([
    ["session", { tool: "shell", kind: "command", text: "npm test" }, "me"],
    ["edits", undefined, "me"],
  ]);
  checkLog(state.all(), { settled: true });
});

test.each(["a snapshot", "the log"])(
  "[S316] a grant stays revoked after reopening from %s, and can be given again",
  async (from) => {
    const first = await startSession(
      { ada: wanting(run("npm test"), edit("a.ts"), run("ls")) },
      { ...writable, approvals: sourceOf() },
    );
    const state = await reopenWithEdits(first, { approvals: sourceOf() });
    await state.send("go");
    await answer(state, 1, FOR_SESSION);
    await answer(state, 2, FOR_SESSION);
    await takeBack(state, "shell: npm test");
    await takeBack(state, "");
    await state.session.close();
    const disk =
      from === "the log" ? { ...createDisk(), events: [...state.all()], epoch: state.log.disk.epoch } : state.log.disk;
    const again = await state.reopen({ disk, approvals: sourceOf() });
    expect(shown(await list(again))).toEqual([["allow", "session", "shell: ls"]]);
    await again.send("once more");
    await answer(again, 3, FOR_SESSION);
    expect(asked(again).slice(3)).toEqual(["npm test", '{"file_path":"a.ts"}']);
    expect(shown(await list(again)).map(([, , rule]) => rule)).toEqual(["shell: ls", "shell: npm test"]);
    expect(fold(empty(again.session.sessionId), again.all()).head).toEqual(again.session.transcript.head);
  },
);

test("a permanent grant is revoked for every session, including the one that gave it", async () => {
  const source = sourceOf();
  const asks = { ada: wanting(run("npm test")) };
  const first = await startSession(asks, { ...writable, approvals: source });
  await first.send("go");
  await answer(first, 0, FOR_ALWAYS);
  const other = await startSession(asks, { ...writable, approvals: source });
  await other.send("go");
  expect([asked(other), shown(await list(first))]).toEqual([[], [["allow", "always", "shell: npm test"]]]);
  expect(await takeBack(other, "shell: npm test")).toEqual({ reach: "always", rule: "shell: npm test", now: "ask" });
  expect([source.kept, shown(await list(first))]).toEqual([[], []]);
  await first.send("again");
  await other.send("again");
  expect([asked(first), asked(other)]).toEqual([["npm test", "npm test"], ["npm test"]]);
  await first.session.close();
  const again = await first.reopen({ approvals: source });
  await again.send("and now");
  expect(asked(again)).toHaveLength(3);
});

test("a grant that cannot be revoked stays in effect, and the user is told", async () => {
  const source = sourceOf([], [{ tool: "shell", kind: "command", text: "ls" }]);
  const state = await startSession({ ada: wanting(run("ls")) }, { ...writable, approvals: source });
  const [one] = (await list(state)).permissions;
  source.isFull = true;
  expect(await state.command({ type: "revoke_permission", permissionId: one?.permissionId ?? "" })).toMatchObject({
    ok: false,
    error: {
      code: "store_unavailable",
      message: "It is still allowed: approvals.json was not written.",
      hint: expect.stringContaining("disk full"),
    },
  });
  await state.send("go");
  expect([asked(state), state.events("permission_revoked")]).toEqual([[], []]);
});

test("a permanent grant that could not be stored holds for the session, also after reopening, until it is revoked", async () => {
  const source = sourceOf();
  source.isFull = true;
  const state = await startSession({ ada: wanting(run("npm test")) }, { ...writable, approvals: source });
  await state.send("go");
  await answer(state, 0, FOR_ALWAYS);
  expect(shown(await list(state))).toEqual([["allow", "session", "shell: npm test"]]);
  await state.session.close();
  const again = await state.reopen({ approvals: sourceOf() });
  await again.send("again");
  expect(asked(again)).toHaveLength(1);
  await takeBack(again, "shell: npm test");
  await again.send("and again");
  expect(asked(again)).toHaveLength(2);
});

test("a session grant outlives a revoked permanent one, and the reply names what still applies", async () => {
  const source = sourceOf([["allow", "shell: ls*"]]);
  const state = await startSession({ ada: wanting(run("npm test")) }, { ...writable, approvals: source });
  await state.send("go");
  await answer(state, 0, FOR_SESSION);
  source.kept.push(
    { tool: "shell", kind: "command", text: "npm test" },
    { tool: "shell", kind: "command", text: "ls" },
  );
  expect(await takeBack(state, "shell: ls")).toMatchObject({ now: "allow", by: "allow shell: ls*" });
  expect(await takeBack(state, "shell: npm test")).toMatchObject({
    reach: "always",
    now: "allow",
    by: "allowed for this session",
  });
  await state.send("again");
  expect(asked(state)).toHaveLength(1);
  expect(await takeBack(state, "shell: npm test")).toMatchObject({ reach: "session", now: "ask" });
});

test("so does one that a later permanent grant includes", async () => {
  const both = approval("apply_patch", JSON.stringify({ changes: [{ path: "a.ts" }, { path: "b.ts" }] }));
  const source = sourceOf();
  const state = await startSession(
    { ada: wanting(edit("a.ts"), both, edit("b.ts")) },
    { ...writable, approvals: source },
  );
  await state.send("go");
  await answer(state, 0, FOR_SESSION);
  await answer(state, 1, FOR_ALWAYS);
  for (const rule of ["edit: a.ts", "edit: b.ts"]) await takeBack(state, rule);
  expect([shown(await list(state)), source.kept]).toEqual([[["allow", "session", "edit: a.ts"]], []]);
  await state.send("again");
  expect(asked(state).slice(2)).toEqual([both.call]);
});

test("a permanent grant holds while it is being stored", async () => {
  const source = sourceOf();
  const { promise, resolve } = Promise.withResolvers<void>();
  const always = { ...source.always, add: () => promise };
  const asks = wanting(run("npm test"));
  const state = await startSession({ ada: asks, bob: asks }, { ...writable, approvals: { ...source, always } });
  await state.send("go");
  await answer(state, 0, FOR_ALWAYS);
  expect(state.events("ui_response").map(({ member, result }) => [member, result])).toEqual([
    ["ada", FOR_ALWAYS],
    ["bob", ALLOW_ONCE],
  ]);
  resolve();
});

test("[S319] only a grant in effect can be revoked, and never by a member", async () => {
  const state = await startSession(
    {
      ada: wanting(run("npm test")),
      bob: {
        script: () => [
          { type: "text_delta", text: "/permissions forget 1" },
          { type: "host_call", callId: "h", tool: "revoke_permission", args: { permissionId: "x" } },
          { untilAnswer: "h" },
        ],
      },
    },
    { ...writable, approvals: sourceOf() },
  );
  await state.send("go", { to: ["ada"] });
  await answer(state, 0, FOR_SESSION);
  await state.send("go", { to: ["bob"] });
  expect(state.agents.last("bob").answers).toMatchObject([
    { result: { error: expect.stringContaining("revoke_permission") } },
  ]);
  expect(shown(await list(state))).toEqual([["allow", "session", "shell: npm test"]]);
  const { permissionId = "" } = (await list(state)).permissions[0] ?? {};
  for (const [id, ok] of [
    ["nothing", false],
    [permissionId, true],
    [permissionId, false],
  ] as const) {
    const ack = await state.command({ type: "revoke_permission", permissionId: id });
    expect([ack.ok, ack.ok || ack.error.code]).toEqual([ok, ok || "conflict"]);
  }
});

test("[S319] a fork inherits neither grants nor revocations of the original", async () => {
  const state = await startSession({ ada: wanting(run("npm test")) }, { ...writable, approvals: sourceOf() });
  await state.send("go");
  await answer(state, 0, FOR_SESSION);
  await takeBack(state, "shell: npm test");
  const clock = createCopyClock(createFakeClock());
  for (const seq of [state.all().length - 1, state.all().length]) {
    const disk = createDisk();
    const copy = new MemoryLog(disk, { now: () => clock.now() });
    await copyFork({
      source: new MemoryLog({ ...createDisk(), events: [...state.all()], epoch: 1 }),
      seq,
      log: copy,
      clock,
    });
    expect(disk.events.filter(({ type }) => type === "permission_revoked")).toEqual([]);
    const forked = await reopenOn(disk, { ada: wanting(run("npm test")) }, sourceOf());
    expect(shown(await list(forked))).toEqual([]);
    await forked.send("go on");
    expect(asked(forked)).toHaveLength(2);
  }
});

test("a revocation is a one-line notice of the session", async () => {
  const script = `node -e ${"x".repeat(500)}\necho done`;
  const first = await startSession({ ada: wanting(run(script)) }, { ...writable, approvals: sourceOf() });
  const state = await reopenWithEdits(first, { approvals: sourceOf() });
  await state.send("go");
  await answer(state, 1, FOR_ALWAYS);
  const { permissions } = await list(state);
  for (const { permissionId = "" } of permissions) await state.command({ type: "revoke_permission", permissionId });
  const notices = [...loadedMessages(state.session.transcript)].flatMap((one) =>
    one.kind === "notice" && one.event.type === "permission_revoked" ? [eventLine(one.event)] : [],
  );
  expect(notices).toEqual([
    "no longer allowed: changes to every file here (was allowed for this session)",
    expect.stringMatching(/^no longer allowed: shell: node -e x{150,}… \(was allowed always in this folder\)$/),
  ]);
});
