import { expect, test } from "vitest";
import { createHash } from "node:crypto";
import { settle } from "../../../test/session/fake-clock.ts";
import { startSession } from "../../../test/session/session-run.ts";
import type { Behaviour, Step } from "../../../test/session/scripted-agent.ts";
import { BLOB_WAIT_MS, TURN_OUTPUT_CHARS_MAX } from "../limits.ts";

const doing = (...steps: Step[]): Behaviour => ({ script: () => steps });
const start = (nativeId: string): Step => ({ type: "tool_call_start", nativeId, name: "read", args: { nativeId } });

test("[S20] each tool call gets exactly one result, parallel calls by their own ids", async () => {
  const state = await startSession({
    ada: doing(
      { type: "text_delta", text: "let me see" },
      start("a"),
      start("b"),
      { type: "tool_output_delta", nativeId: "b", text: "out", stream: "stdout" },
      { type: "tool_call_update", nativeId: "a", detail: "half way" },
      { type: "tool_result", nativeId: "b", ok: true, result: "B" },
      { type: "tool_result", nativeId: "a", ok: false, error: { code: "tool_denied", message: "no" } },
    ),
  });
  await state.send("go");
  const ids = new Map(state.events("tool_call_start").map((event) => [event.nativeId, event.toolCallId]));
  const types = state.all().map((event) => event.type);
  expect(types.slice(types.indexOf("text_delta"))).toEqual([
    "text_delta",
    "text_done",
    "tool_call_start",
    "tool_call_start",
    "tool_output_delta",
    "tool_call_update",
    "tool_result",
    "tool_result",
    "turn_end",
    "message_delivery",
  ]);
  expect(state.events("tool_result")).toMatchObject([
    { toolCallId: ids.get("b"), ok: true, result: "B", durationMs: 0 },
    { toolCallId: ids.get("a"), ok: false, error: { code: "tool_denied", message: "no" } },
  ]);
  expect(state.events("tool_output_delta")).toMatchObject([
    { toolCallId: ids.get("b"), text: "out", stream: "stdout" },
  ]);
});

test("[S20] a result for an unknown or settled call is a warning; a call without one is settled by the turn's end", async () => {
  const state = await startSession({
    ada: doing(
      { type: "tool_result", nativeId: "never", ok: true },
      start("a"),
      start("a"),
      { type: "tool_result", nativeId: "a", ok: true },
      { type: "tool_result", nativeId: "a", ok: true },
      start("open"),
    ),
  });
  await state.send("go");
  expect(state.events("warning").map((event) => event.code)).toEqual([
    "unknown_tool_call",
    "duplicate_tool_call",
    "unknown_tool_call",
  ]);
  expect(state.events("tool_call_start").length).toBe(2);
  expect(state.events("tool_result")).toMatchObject([
    { ok: true },
    { ok: false, error: { code: "tool_interrupted", message: "The turn ended without a result of this tool." } },
  ]);
  expect(state.events("turn_end")).toMatchObject([{ outcome: "completed" }]);
});

test("[S21] an output over 64 KiB goes to a blob and is shown by head and tail; what follows waits behind it", async () => {
  const whole = `${"h".repeat(50_000)}${"t".repeat(50_000)}`;
  const state = await startSession({
    ada: doing(
      start("a"),
      { type: "tool_result", nativeId: "a", ok: true, result: whole },
      { type: "text_delta", text: "done" },
    ),
  });
  await state.send("go");
  const result = state.events("tool_result")[0]!;
  const sha256 = createHash("sha256").update(whole).digest("hex");
  const [head, tail] = ["h".repeat(8192), "t".repeat(8192)];
  expect(result).toMatchObject({
    ok: true,
    result: `${head}\n… 83616 bytes not shown …\n${tail}`,
    truncated: { totalBytes: 100_000, shownBytes: 16_384, blob: { sha256, bytes: 100_000, head, tail } },
  });
  expect(Buffer.from((await state.log.blobs.get(sha256))!).toString()).toBe(whole);
  expect(state.events("text_done")).toMatchObject([{ text: "done" }]);
  expect(state.events("text_done")[0]!.seq).toBeGreaterThan(result.seq);
});

test("[S21] when the blob cannot be stored the output is truncated with a warning, and the turn continues", async () => {
  for (const mode of ["failing", "hanging"] as const) {
    const state = await startSession({
      ada: doing(
        start("a"),
        { type: "tool_result", nativeId: "a", ok: true, result: "x".repeat(100_000) },
        { type: "text_delta", text: "on" },
      ),
    });
    state.log.blobMode = mode;
    await state.send("go");
    await state.clock.advance(BLOB_WAIT_MS);
    expect(state.events("warning")).toMatchObject([{ code: "output_not_stored" }]);
    expect(state.events("tool_result")[0]?.truncated).toEqual({ totalBytes: 100_000, shownBytes: 16_384 });
    expect(state.events("turn_end")).toMatchObject([{ outcome: "completed" }]);
    expect(state.events("text_done")).toMatchObject([{ text: "on" }]);
  }
});

test("[S21] an interrupt while an output waits for its blob settles the call at once, and only once", async () => {
  const state = await startSession({
    ada: doing(
      start("a"),
      { type: "tool_result", nativeId: "a", ok: true, result: "x".repeat(100_000) },
      { hang: true },
    ),
  });
  state.log.blobMode = "hanging";
  await state.send("go");
  await state.command({ type: "interrupt", scope: "all" });
  await state.clock.advance(60_000);
  expect(state.events("tool_result")).toMatchObject([{ ok: false, error: { code: "tool_interrupted" } }]);
  expect(state.events("turn_end").length).toBe(1);
});

test("[S22] a turn passes on what its agent reports, stamped with turn and member, and its end carries the usage", async () => {
  const usage = { inputTokens: 5, outputTokens: 7 };
  const state = await startSession({
    ada: doing(
      { type: "member_session", nativeSessionId: "native" },
      { type: "status", state: "thinking" },
      { type: "usage", usage },
      { type: "ui_notify", message: "look", notifyType: "info" },
      { type: "plan_update", planId: "p", items: [{ text: "step", status: "pending" }] },
      { end: "errored", reason: "rate limit" },
    ),
  });
  await state.send("go");
  const turnId = state.events("turn_start")[0]!.turnId;
  const stamp = { turnId, member: "ada" };
  expect(state.events("member_session")).toMatchObject([{ ...stamp, nativeSessionId: "native" }]);
  expect(state.events("ui_notify")).toMatchObject([{ ...stamp, message: "look" }]);
  expect(state.events("plan_update")).toMatchObject([{ ...stamp, planId: "p" }]);
  expect(state.events("turn_end")).toMatchObject([{ ...stamp, outcome: "errored", reason: "rate limit", usage }]);
});

test("[S22] statuses never count as activity: a message is being answered from the first text, thought or tool on", async () => {
  const state = await startSession({
    ada: doing(
      { type: "status", state: "model_loading" },
      { wait: 10 },
      { type: "thinking_delta", text: "hm" },
      { wait: 10 },
    ),
  });
  await state.send("go");
  const states = () => state.events("message_delivery").map((event) => event.state);
  expect(states()).toEqual(["pending", "delivered"]);
  await state.clock.advance(10);
  expect(states()).toEqual(["pending", "delivered", "answering"]);
});

test("[S22] a turn that exceeds its output limit is ended as errored", async () => {
  const chunk = "x".repeat(1024 * 1024);
  const steps = Array.from({ length: TURN_OUTPUT_CHARS_MAX / chunk.length + 1 }, (): Step => ({
    type: "text_delta",
    text: chunk,
  }));
  const state = await startSession({ ada: doing(...steps, { hang: true }) });
  await state.send("go");
  expect(state.events("turn_end")).toMatchObject([{ outcome: "errored", reason: "output_limit" }]);
  expect(state.agents.last("ada").interrupts).toBe(1);
});

test("[S25] an agent that cannot be created, started or prompted makes an errored turn, and the others continue", async () => {
  const state = await startSession({
    nofactory: { factory: "throws" },
    nostart: { start: "rejects" },
    throwing: { start: "throws" },
    nosend: { send: "throws" },
    well: {},
  });
  await state.send("go");
  const ends = Object.fromEntries(state.events("turn_end").map((event) => [event.member, event]));
  expect(ends).toMatchObject({
    nofactory: {
      outcome: "errored",
      error: { code: "agent_start", message: "The agent did not start: it could not be created." },
    },
    nostart: {
      outcome: "errored",
      error: { code: "agent_start", message: "The agent did not start: command not found." },
    },
    throwing: { outcome: "errored", error: { code: "agent_start", message: "The agent did not start: start threw." } },
    nosend: {
      outcome: "errored",
      error: { code: "agent_fault", message: "The agent did not accept the turn: send threw." },
    },
    well: { outcome: "completed" },
  });
  expect(state.agents.of("nostart").map((agent) => agent.isClosed)).toEqual([true]);
  state.agents.behaviours.set("nostart", {});
  await state.send("@nostart again");
  expect(state.events("turn_end").at(-1)).toMatchObject({ member: "nostart", outcome: "completed" });
  expect(state.clock.timers).toBe(0);
});

test("[S25] an agent that never starts is dropped when its turn is stopped, and a fresh one runs the next", async () => {
  const state = await startSession({ ada: { start: "hangs" } });
  await state.send("one");
  await state.command({ type: "interrupt", scope: "all" });
  state.agents.behaviours.set("ada", {});
  await state.send("two");
  await state.clock.advance(5_000);
  expect(state.events("turn_end").map((event) => event.outcome)).toEqual(["interrupted", "completed"]);
  expect(state.agents.of("ada").map((agent) => agent.inputs.map((input) => input.text))).toEqual([[], ["two"]]);
});

test("[S9] an agent is asked only after its turn_start is in the file", async () => {
  const state = await startSession({ ada: {} });
  state.log.holdCommits();
  void state.send("go");
  await settle();
  expect(state.events("turn_start").length).toBe(1);
  expect(state.agents.last("ada").inputs).toEqual([]);
  state.log.releaseCommits();
  await settle();
  expect(state.agents.last("ada").inputs).toMatchObject([{ kind: "turn", text: "go" }]);
});

test("[S9] a slow sync does not hold up the agent, and nothing is acknowledged before it is over", async () => {
  const state = await startSession({ ada: {} });
  state.log.holdCommits({ isWritten: true });
  let isAcknowledged = false;
  void state.send("go").then(() => (isAcknowledged = true));
  await settle();
  expect(state.agents.last("ada").inputs).toMatchObject([{ kind: "turn", text: "go" }]);
  expect(isAcknowledged).toBe(false);
  state.log.releaseCommits();
  await settle(200);
  expect(isAcknowledged).toBe(true);
});

test("a text interrupted by a tool call, a request or a subagent appears once in the transcript", async () => {
  const whole = "I look, ask, send and tell.";
  const state = await startSession({
    ada: doing(
      { type: "text_delta", text: "I look, " },
      start("a"),
      { type: "text_delta", text: "ask, " },
      { type: "request", callId: "q", request: { method: "confirm", title: "Go on?", message: "" } },
      { type: "request_withdrawn", callId: "q" },
      { type: "text_delta", text: "send " },
      { type: "subagent_start", subagentId: "s", name: "sub", task: "look" },
      { type: "text_done", text: whole },
      { type: "text_delta", text: "never " },
      start("b"),
      { type: "text_delta", text: "said" },
      { type: "text_retracted" },
    ),
  });
  await state.send("go");
  const retracted = new Set(state.events("text_retracted").map((event) => event.segmentId));
  const texts = state.events("text_done").filter((event) => !retracted.has(event.segmentId));
  expect(texts.map((event) => event.text).join("")).toBe(whole);
});
