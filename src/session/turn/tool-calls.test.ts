import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { settle } from "../../../test/session/fake-clock.ts";
import type { Step } from "../../../test/session/scripted-agent.ts";
import { startSession, type SessionRun } from "../../../test/session/session-run.ts";
import type { ApprovalSource } from "../../agents/index.ts";
import type { Guard, UiRequestBody } from "../../protocol/index.ts";

const call = "touch x";
const approval: UiRequestBody = {
  method: "approval",
  title: "Run?",
  tool: "Bash",
  call,
  callHash: createHash("sha256").update(call).digest("hex"),
  options: [
    { label: "Allow once", value: "allow" },
    { label: "Deny", value: "deny" },
  ],
};
const start: Step = { type: "tool_call_start", nativeId: "n", name: "Bash", args: { command: call } };
const asked: Step = { type: "request", callId: "q", request: approval, nativeToolId: "n" };
const done: Step = { type: "tool_result", nativeId: "n", ok: true, result: "done" };

function resultOf(state: SessionRun) {
  const [result] = state.events("tool_result");
  return [result?.ok, result?.error?.code, result?.error?.message];
}

async function answer(state: SessionRun, result: string | boolean, reason?: string): Promise<void> {
  const requestId = state.events("ui_request").at(-1)?.requestId ?? "";
  const ack = await state.command({
    type: "answer",
    requestId,
    result,
    ...(reason === undefined ? {} : { reason }),
  });
  expect(ack).toMatchObject({ ok: true });
  await settle();
}

const asking = { ada: { script: () => [start, asked, { untilAnswer: "q" }, done] as Step[] } };

test("a call that the user denied ends as denied, even if its agent reports success", async () => {
  const state = await startSession(asking, { settings: { writable: true } });
  await state.send("go");
  await answer(state, false);
  expect(resultOf(state)).toEqual([false, "tool_denied", "the user denied it"]);
});

test("an allowed call ends as its agent reports", async () => {
  const state = await startSession(asking, { settings: { writable: true } });
  await state.send("go");
  await answer(state, "allow");
  expect(resultOf(state)).toEqual([true, undefined, undefined]);
});

test("a call that was not answered, or that a rule denies, ends as denied", async () => {
  const late = await startSession(asking, { settings: { writable: true } });
  await late.send("go");
  await late.clock.advance(301_000);
  expect(resultOf(late)).toEqual([false, "tool_denied", "nobody answered in time"]);
  const approvals: ApprovalSource = { rulesFor: () => [{ tool: "shell", verdict: "deny" }] };
  const ruled = await startSession(asking, { settings: { writable: true }, approvals });
  await ruled.send("go");
  expect(resultOf(ruled)).toEqual([false, "tool_denied", expect.stringContaining("deny shell")]);
});

const READ_ONLY_TEXTS = [
  "touch: cannot touch 'x': Read-only file system",
  "fatal: Unable to create '/w/.git/index.lock': Read-only file system\nmore",
  "OSError: [Errno 30] Read-only file system: 'x'",
  "Error: EROFS: read-only file system, open 'x'",
  "error: Read-only file system (os error 30)",
];

async function printing(text: string, options: { guard?: Guard; writable?: boolean; kind?: "read" | "execute" } = {}) {
  const { guard = "sandbox", writable = false, kind = "execute" } = options;
  const state = await startSession(
    {
      ada: {
        script: (_, turn) => [
          { type: "member_guard", guard },
          { ...(start as Extract<Step, { type: "tool_call_start" }>), kind },
          ...(turn === 1 ? [] : [{ type: "tool_output_delta", nativeId: "n", text } as const]),
          { type: "tool_result", nativeId: "n", ok: true, ...(turn === 1 ? { result: text } : {}) },
        ],
      },
    },
    { settings: { writable } },
  );
  await state.send("go");
  await state.send("again");
  return state.events("tool_result").map(({ ok, error }) => [ok, error?.message]);
}

test.each(READ_ONLY_TEXTS)("in a read-only session a write stopped by the guard is denied: %j", async (text) => {
  const denied = [false, "this session is read-only"];
  expect(await printing(text)).toEqual([denied, denied]);
  expect(await printing(text, { guard: "own_mode" })).toEqual([denied, denied]);
});

test("without a guard, or for a read-only tool, such a text has no meaning", async () => {
  const [text = ""] = READ_ONLY_TEXTS;
  const passed = [true, undefined];
  expect(await printing(text, { guard: "unguarded" })).toEqual([passed, passed]);
  expect(await printing(text, { kind: "read" })).toEqual([passed, passed]);
  expect(await printing("The error reads Read-only file system here.")).toEqual([passed, passed]);
});

test("in a writable session the last lines count, and a busy file only where it governs agents or git", async () => {
  const closed = [false, "the sandbox does not allow it"];
  const passed = [true, undefined];
  const writable = { writable: true };
  const [text = ""] = READ_ONLY_TEXTS;
  expect(await printing(text, writable)).toEqual([closed, closed]);
  expect(await printing(`${text}\n1\n2\n3\n4\n5\n6`, writable)).toEqual([passed, passed]);
  const busy = (file: string) => `rm: cannot remove '${file}': Device or resource busy`;
  expect(await printing(busy("AGENTS.md"), writable)).toEqual([closed, closed]);
  expect(await printing(busy("/mnt/disk"), writable)).toEqual([passed, passed]);
});
