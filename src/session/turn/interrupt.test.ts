import { expect, test } from "vitest";
import { settle } from "../../../test/session/fake-clock.ts";
import { startSession, type SessionRun } from "../../../test/session/session-run.ts";
import type { Behaviour, Step } from "../../../test/session/scripted-agent.ts";
import { GRACE_MS, MESSAGE_TEXT_INLINE_MAX } from "../limits.ts";

const busySteps: Step[] = [
  { type: "text_delta", text: "I will " },
  { type: "text_delta", text: "look" },
  { type: "tool_call_start", nativeId: "n1", name: "read", args: { path: "a" } },
  { type: "tool_call_start", nativeId: "n2", name: "read", args: { path: "b" } },
  { type: "request", callId: "q", request: { method: "confirm", title: "Go?", message: "On?" } },
  { type: "text_delta", text: "meanwhile" },
  { hang: true },
];
const busy: Behaviour = { script: () => busySteps };
const hanging: Behaviour = { script: () => [{ type: "text_delta", text: "partial" }, { hang: true }] };
const slow: Behaviour = { script: () => [{ wait: 100 }] };

function givenTo(state: SessionRun, member: string): string[] {
  return state.agents.of(member).flatMap((agent) => agent.inputs.map((input) => input.text));
}

test("[S26] an interrupt is in the log at once: requests, partial text, tools, turn end, then one output_cancelled", async () => {
  const state = await startSession({ ada: { ...busy, interrupt: "deaf" }, bob: hanging });
  await state.send("go");
  const { seq } = state.session.transcript.head;
  const acked = state.command({ type: "interrupt", scope: "all" });
  // Before any agent has confirmed.
  expect(state.typesAfter(seq)).toEqual([
    "ui_cancelled",
    "text_done",
    "tool_result",
    "tool_result",
    "turn_end",
    "message_delivery",
    "text_done",
    "turn_end",
    "message_delivery",
    "output_cancelled",
  ]);
  const after = state.all().filter((event) => event.seq > seq);
  const turnIds = state.events("turn_start").map((event) => event.turnId);
  expect(after).toMatchObject([
    { reason: "cancelled", member: "ada" },
    { text: "meanwhile", interrupted: true },
    { ok: false, error: { code: "tool_interrupted" } },
    { ok: false, error: { code: "tool_interrupted" } },
    { turnId: turnIds[0], outcome: "interrupted", reason: "interrupted" },
    { state: "dropped", reason: "interrupted" },
    { text: "partial", interrupted: true },
    { turnId: turnIds[1], outcome: "interrupted" },
    { state: "dropped" },
    { by: "me", scope: "all", turnIds },
  ]);
  expect(await acked).toMatchObject({ ok: true, result: { stopped: 2, othersRunning: 0 } });
  await settle();
  expect(state.agents.last("ada").answers).toEqual([{ callId: "q", result: { result: false, error: "cancelled" } }]);
  expect([state.agents.last("ada").interrupts, state.agents.last("bob").interrupts]).toEqual([1, 1]);
  expect(state.session.isIdle).toBe(true);
});

test("an interrupt of own turns names the stopped members and those still running for other clients", async () => {
  const state = await startSession({ ada: hanging, bob: hanging });
  await state.send("@ada go", { clientId: "terminal-1" });
  await state.send("@bob go", { clientId: "browser-1" });
  const [, bob] = state.events("turn_start");
  expect(await state.command({ type: "interrupt", scope: "own" }, "terminal-1")).toMatchObject({
    result: {
      stopped: 1,
      members: ["ada"],
      others: [{ turnId: bob?.turnId, member: "bob", clientId: "browser-1" }],
    },
  });
});

test("an interrupt also stops a message that arrived before it and is still being stored", async () => {
  const state = await startSession({ ada: hanging, bob: hanging });
  await state.send("@ada go");
  const sent = state.send(`@bob ${"long ".repeat(MESSAGE_TEXT_INLINE_MAX / 4)}`);
  const acked = state.command({ type: "interrupt", scope: "all" });
  // What runs already is stopped without waiting for that.
  expect(state.events("turn_end")).toMatchObject([{ member: "ada", outcome: "interrupted" }]);
  expect(await acked).toMatchObject({ ok: true, result: { stopped: 1, members: ["ada"], othersRunning: 0 } });
  expect(await sent).toMatchObject({ ok: true });
  await settle();
  expect(state.events("turn_end")[1]).toMatchObject({ member: "bob", outcome: "interrupted" });
});

test("[S26] an interrupt keeps the queue and pending messages, and starts nothing", async () => {
  const state = await startSession({ ada: hanging, bob: hanging });
  await state.send("one");
  await state.send("two");
  await state.send("@ada three");
  await state.command({ type: "interrupt", scope: "all" });
  await state.clock.advance(60_000);
  expect(state.events("turn_start").length).toBe(2);
  expect(state.session.transcript.head.queue.map((item) => item.text)).toEqual(["two", "three"]);
});

test("after an interrupt the next message is delivered together with the waiting ones, in order", async () => {
  const state = await startSession({
    ada: hanging,
    bob: { script: ({ text }) => (text === "one" ? [{ hang: true }] : []) },
  });
  await state.send("one");
  await state.command({ type: "interrupt", scope: "member", member: "bob" });
  await state.send("@bob quick");
  await state.send("@ada @bob both");
  await state.send("@ada later");
  await state.command({ type: "interrupt", scope: "member", member: "ada" });
  expect(givenTo(state, "ada")).toEqual(["one"]);
  await state.send("@ada go on");
  expect(givenTo(state, "ada")).toEqual(["one", "both\n\nlater\n\ngo on"]);
  expect(givenTo(state, "bob")).toEqual(["one", "quick", "both"]);
});

test("an interrupt of own turns stops those that answer the client's messages, and reports what else is running", async () => {
  const state = await startSession({ ada: hanging, bob: hanging });
  await state.send("@ada mine", { clientId: "one" });
  await state.send("@bob yours", { clientId: "two" });
  expect(await state.command({ type: "interrupt", scope: "own" }, "three")).toMatchObject({
    ok: true,
    result: { stopped: 0, othersRunning: 2 },
  });
  expect(state.events("output_cancelled")).toEqual([]);
  expect(await state.command({ type: "interrupt", scope: "own" }, "two")).toMatchObject({
    result: { stopped: 1, othersRunning: 1 },
  });
  expect(state.events("turn_end")).toMatchObject([{ member: "bob", outcome: "interrupted" }]);
  expect(await state.command({ type: "interrupt", scope: "member" }, "two")).toMatchObject({
    error: { code: "bad_command" },
  });
  expect(await state.command({ type: "interrupt", scope: "member", member: "eve" }, "two")).toMatchObject({
    error: { code: "unknown_member" },
  });
  expect(await state.command({ type: "interrupt", scope: "member", member: "ada" }, "two")).toMatchObject({
    result: { stopped: 1, othersRunning: 0 },
  });
});

test("[S24] an agent still busy 5 s after an interrupt is closed, and a fresh one runs the next turn", async () => {
  const state = await startSession({ ada: { ...hanging, interrupt: "deaf" } });
  await state.send("one");
  await state.command({ type: "interrupt", scope: "all" });
  await state.send("two");
  expect(state.events("turn_start").length).toBe(2);
  expect(state.agents.of("ada").length).toBe(1);
  await state.clock.advance(GRACE_MS - 1);
  expect(state.agents.of("ada").length).toBe(1);
  await state.clock.advance(1);
  expect(state.agents.of("ada").map((agent) => [agent.isClosed, agent.inputs.map((input) => input.text)])).toEqual([
    [true, ["one"]],
    [false, ["two"]],
  ]);
  expect(state.session.transcript.head.openTurns).toMatchObject({
    [state.events("turn_start")[1]!.turnId]: { blocks: [{ text: "partial" }] },
  });
});

test("[S24] late output of a settled turn is dropped, with at most one warning per turn", async () => {
  const late = { type: "text_delta", text: "late" } as const;
  const state = await startSession({ ada: { ...hanging, afterInterrupt: [late, late, late] }, bob: {} });
  await state.send("one");
  await state.command({ type: "interrupt", scope: "all" });
  expect(state.events("warning")).toMatchObject([{ code: "late_words", member: "ada" }]);
  state.agents.last("bob").emit(late);
  state.agents.last("bob").emit({ type: "tool_result", nativeId: "x", ok: true });
  state.agents.last("bob").emit({ type: "request", callId: "late", request: { method: "input", title: "?" } });
  state.agents.last("bob").emit({ type: "context_update", used: 1, window: 10, measured: true });
  expect(state.events("warning").map((event) => event.member)).toEqual(["ada", "bob"]);
  expect(state.agents.last("bob").answers).toEqual([
    { callId: "late", result: { result: null, error: "The turn has ended." } },
  ]);
  expect(state.events("context_update")).toMatchObject([{ member: "bob", used: 1 }]);
  const texts = state.events("text_delta").map((event) => event.text);
  expect(texts).toEqual(["partial", "You said: one"]);
});

test("[S23] a turn over its time limit ends timed_out, and waiting messages are delivered", async () => {
  const state = await startSession({ ada: { ...hanging, interrupt: "deaf" }, bob: slow }, { settings: { timeout: 2 } });
  await state.send("one");
  await state.send("@ada two");
  await state.clock.advance(1_999);
  expect(state.events("turn_end").map((event) => event.member)).toEqual(["bob"]);
  await state.clock.advance(1);
  expect(state.events("turn_end").at(-1)).toMatchObject({
    member: "ada",
    outcome: "timed_out",
    reason: "timeout",
    error: { code: "timeout", message: "ada took longer than 2 s and was stopped." },
    durationMs: 2_000,
  });
  expect(state.events("text_done")).toMatchObject([{ text: "partial", interrupted: true }]);
  expect(state.events("turn_start").at(-1)).toMatchObject({ member: "ada" });
  expect(state.events("message_delivery").filter((event) => event.state === "dropped")).toMatchObject([
    { reason: "timeout" },
  ]);
});

test("[S26] in sequential mode stopping one member does not start the next", async () => {
  const state = await startSession({ ada: hanging, bob: slow, cyd: slow }, { settings: { mode: "sequential" } });
  await state.send("one");
  await state.command({ type: "interrupt", scope: "member", member: "ada" });
  await state.clock.advance(10_000);
  expect(state.events("turn_start").map((event) => event.member)).toEqual(["ada"]);
  await state.send("@bob two");
  await state.clock.advance(10_000);
  expect(givenTo(state, "bob")).toEqual(["one\n\ntwo"]);
  expect(state.events("turn_start").map((event) => event.member)).toEqual(["ada", "bob"]);
});

test("[S26] in sequential mode a stop holds everyone else at each step of a turn: begun, ready, and just taken over", async () => {
  for (const afterMs of [undefined, 0, 100]) {
    const state = await startSession({ ada: slow, bob: slow, cyd: slow }, { settings: { mode: "sequential" } });
    const sent = state.send("one", { clientId: "me" });
    if (afterMs !== undefined) await sent;
    if (afterMs !== undefined) await state.clock.advance(afterMs);
    const running = afterMs === 100 ? ["ada", "bob"] : ["ada"];
    expect(state.events("turn_start").map((event) => event.member)).toEqual(running);
    await state.command({ type: "interrupt", scope: "own" });
    await sent;
    await state.clock.advance(10_000);
    expect(state.events("turn_start").map((event) => event.member)).toEqual(running);
    expect(state.session.transcript.head.members["cyd"]?.state).toBe("waiting");
  }
});

test("a message whose member was stopped before reading it leaves no discussion running, and a retry answers it", async () => {
  const state = await startSession({ ada: hanging });
  await state.send("first");
  await state.send("second");
  await state.command({ type: "interrupt", scope: "all" });
  await settle();
  expect(state.session.transcript.head.council.state).toBe("idle");
  await state.send("third");
  expect(givenTo(state, "ada").at(-1)).toContain("third");
});
