import { expect, test } from "vitest";
import type { UiRequestBody } from "../../protocol/index.ts";
import { settle } from "../../../test/session/fake-clock.ts";
import { startSession, type SessionRun } from "../../../test/session/session-run.ts";
import type { Behaviour, Step } from "../../../test/session/scripted-agent.ts";
import { REQUESTS_OPEN_MAX } from "../limits.ts";

const confirm: UiRequestBody = { method: "confirm", title: "Delete?", message: "All of it?" };
const ask = (callId: string, more: { request?: UiRequestBody; timeoutMs?: number } = {}): Step => ({
  type: "request",
  callId,
  request: confirm,
  ...more,
});
const asking = (...steps: Step[]): Behaviour => ({ script: () => [...steps, { hang: true }] });

function answer(state: SessionRun, requestId: string, result: boolean | string | null, clientId = "me") {
  return state.command({ type: "answer", requestId, result }, clientId);
}

test("[S29] a request is shown with its time limit and safe default, and closes the open segment", async () => {
  const state = await startSession({
    ada: asking(
      { type: "text_delta", text: "May I" },
      { type: "tool_call_start", nativeId: "n", name: "rm", args: null },
      { type: "text_delta", text: "?" },
      { type: "request", callId: "q", request: confirm, nativeToolId: "n", timeoutMs: 5_000 },
      ask("long", { timeoutMs: 10_000_000 }),
      ask("plain"),
    ),
  });
  await state.send("go");
  const { turnId } = state.events("turn_start")[0]!;
  const { toolCallId } = state.events("tool_call_start")[0]!;
  const stamp = { turnId, member: "ada", request: confirm, default: false };
  const shown = state.events("ui_request");
  expect(shown).toMatchObject([
    { ...stamp, toolCallId, timeoutMs: 5_000 },
    { ...stamp, timeoutMs: 300_000 },
    { ...stamp, timeoutMs: 300_000 },
  ]);
  expect(state.events("text_done").map((event) => event.text)).toEqual(["May I", "?"]);
  expect(state.session.transcript.head.requests.map((one) => one.requestId)).toEqual(shown.map((one) => one.requestId));
});

test("waiting for approval does not count as the call's duration", async () => {
  const request: Step = { type: "request", callId: "q", request: confirm, nativeToolId: "n" };
  const state = await startSession({
    ada: {
      script: () => [
        { type: "tool_call_start", nativeId: "n", name: "rm", args: null },
        request,
        { untilAnswer: "q" },
        { type: "tool_result", nativeId: "n", ok: true, result: "gone" },
      ],
    },
  });
  await state.send("go");
  await state.clock.advance(20_000);
  await answer(state, state.events("ui_request")[0]!.requestId, true);
  await settle();
  expect(state.events("tool_result")).toMatchObject([{ durationMs: 0 }]);
});

test("[S29] the first answer wins and is on disk before the agent gets it; a second one learns who was first", async () => {
  const state = await startSession({
    ada: { script: () => [ask("q"), { untilAnswer: "q" }, { type: "text_delta", text: "thanks" }] },
  });
  await state.send("go");
  const { requestId } = state.events("ui_request")[0]!;
  expect(await answer(state, requestId, "maybe")).toMatchObject({ error: { code: "bad_command" } });
  state.log.holdCommits();
  const first = answer(state, requestId, true, "phone");
  expect(await answer(state, requestId, false, "desk")).toMatchObject({
    error: { code: "conflict", message: `Request "${requestId}" is already closed: answered by phone.` },
  });
  await settle();
  expect(state.agents.last("ada").answers).toEqual([]);
  state.log.releaseCommits();
  expect(await first).toMatchObject({ ok: true });
  await settle();
  expect(state.agents.last("ada").answers).toEqual([{ callId: "q", result: { result: true, error: null } }]);
  expect(state.events("ui_response")).toMatchObject([{ requestId, result: true, error: null, clientId: "phone" }]);
  expect(state.events("turn_end")).toMatchObject([{ outcome: "completed" }]);
  expect(await answer(state, "nothing", true)).toMatchObject({ error: { code: "unknown_request" } });
  const later = await state.reopen();
  expect(await answer(later, requestId, false)).toMatchObject({ error: { code: "conflict" } });
});

test("[S29] a client may decline: the agent gets the safe default and the reason", async () => {
  const state = await startSession({ ada: asking(ask("q")) });
  await state.send("go");
  const { requestId } = state.events("ui_request")[0]!;
  await state.command({ type: "answer", requestId, result: true, error: "dismissed" });
  await settle();
  expect(state.agents.last("ada").answers).toEqual([{ callId: "q", result: { result: false, error: "dismissed" } }]);
});

test("[S29] an unanswered request expires with the safe default, also when no client ever connected", async () => {
  const state = await startSession({
    ada: asking(ask("q", { timeoutMs: 1_000, request: { method: "input", title: "?" } })),
  });
  await state.send("go");
  const { requestId } = state.events("ui_request")[0]!;
  await state.clock.advance(1_000);
  expect(state.events("ui_cancelled")).toMatchObject([{ requestId, reason: "expired" }]);
  expect(state.agents.last("ada").answers).toEqual([{ callId: "q", result: { result: null, error: "expired" } }]);
  expect(await answer(state, requestId, "late")).toMatchObject({
    error: { code: "conflict", message: `Request "${requestId}" is already closed: expired.` },
  });
});

test("[S29] a turn that ends closes its requests", async () => {
  const state = await startSession({ ada: { script: () => [ask("q")] } });
  await state.send("go");
  expect(state.events("ui_cancelled")).toMatchObject([{ reason: "cancelled" }]);
  expect(state.all().findIndex((event) => event.type === "ui_cancelled")).toBeLessThan(
    state.all().findIndex((event) => event.type === "turn_end"),
  );
  expect(state.clock.timers).toBe(0);
});

test("[S29] too many requests, a repeated call and an approval that cannot be shown completely get the safe default", async () => {
  const many = Array.from({ length: REQUESTS_OPEN_MAX + 1 }, (_, index) => ask(`q${index}`));
  const state = await startSession({ ada: asking(...many), bob: {} });
  await state.send("@ada go");
  expect(state.events("ui_request").length).toBe(REQUESTS_OPEN_MAX);
  expect(state.events("warning")).toMatchObject([{ code: "request_refused" }]);
  expect(state.agents.last("ada").answers).toEqual([
    { callId: "q50", result: { result: false, error: "50 requests are already open" } },
  ]);
  const approval: UiRequestBody = {
    method: "approval",
    title: "Run?",
    tool: "bash",
    call: "x".repeat(300_000),
    callHash: "h",
    options: [{ label: "Yes", value: "yes" }],
  };
  const other = await startSession({ ada: asking(ask("q"), ask("q"), ask("big", { request: approval })) });
  await other.send("go");
  expect(other.events("ui_request").length).toBe(1);
  expect(other.agents.last("ada").answers).toMatchObject([
    { callId: "q", result: { result: false } },
    { callId: "big", result: { result: false, error: "it exceeds the size limit of an event" } },
  ]);
});

test("a call of an unknown host tool is answered with an error", async () => {
  const state = await startSession({
    ada: { script: () => [{ type: "host_call", callId: "h", tool: "agents_fire", args: {} }, { untilAnswer: "h" }] },
  });
  await state.send("go");
  expect(state.agents.last("ada").answers).toEqual([
    { callId: "h", result: { result: null, error: 'There is no tool "agents_fire" here.' } },
  ]);
  expect(state.events("turn_end")).toMatchObject([{ outcome: "completed" }]);
});
