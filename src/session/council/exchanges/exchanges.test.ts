import { expect, test } from "vitest";
import type { Json } from "../../../protocol/index.ts";
import { turnById } from "../../../transcript/index.ts";
import { answersTo, asks, exchangesOf, member, says, startsOf } from "../../../../test/session/exchanges-scripts.ts";
import { startSession } from "../../../../test/session/session-run.ts";
import { checkLog } from "../../../../test/session/session-checker.ts";
import { settle } from "../../../../test/session/fake-clock.ts";

const ok = (result: Json) => ({ result, error: null });
const refused = (messages: string) => ({ result: null, error: expect.stringContaining(messages) as string });

test("[S150] a question is a turn of the other member, and its answer is the caller's tool result", async () => {
  const state = await startSession({ ada: member("ada", () => asks("bob")), bob: member("bob") });
  await state.send("go", { to: ["ada"] });
  const [message] = state.events("agent_message");
  const [asking] = startsOf(state, "ada");
  const [answering] = startsOf(state, "bob");
  const call = state.events("tool_call_start")[0]?.toolCallId;
  expect(message).toMatchObject({
    turnId: asking?.turnId,
    member: "ada",
    to: "bob",
    text: "What says bob?",
    wait: true,
    toolCallId: call,
  });
  expect(answering).toMatchObject({
    cause: "exchange",
    depth: 1,
    parentTurnId: asking?.turnId,
    toolCallId: call,
    agentExchangeId: message?.agentExchangeId,
    rootMessageId: asking?.rootMessageId,
    messageIds: [],
  });
  expect(state.agents.last("bob").inputs).toMatchObject([
    { text: "What says bob?", from: { kind: "member", name: "ada" } },
  ]);
  expect(answersTo(state, "ada")).toEqual([ok({ from: "bob", answer: "bob answers" })]);
  expect(exchangesOf(state)).toEqual([{ from: "ada", to: "bob", ok: true, text: "bob answers" }]);
  expect(state.events("turn_end").map((event) => [event.member, event.outcome])).toEqual([
    ["bob", "completed"],
    ["ada", "completed"],
  ]);
  checkLog(state.all(), { settled: true });
});

test("a caller that does not wait returns at once and gets the answer in a later turn", async () => {
  const state = await startSession({
    ada: {
      script: ({ from }) => (from === undefined ? [...asks("bob", { wait: false }), { wait: 1_000 }] : [says("I see")]),
    },
    bob: { script: () => [{ wait: 10 }, says("It is 4.")] },
  });
  await state.send("go", { to: ["ada"] });
  expect(answersTo(state, "ada")).toMatchObject([{ result: { asked: "bob" }, error: null }]);
  await state.clock.advance(20);
  expect(exchangesOf(state)).toMatchObject([{ ok: true, text: "It is 4." }]);
  expect(startsOf(state, "ada")).toHaveLength(1);
  await state.clock.advance(2_000);
  const [asking, callback] = startsOf(state, "ada");
  expect(callback).toMatchObject({
    cause: "exchange",
    depth: 0,
    parentTurnId: asking?.turnId,
    rootMessageId: asking?.rootMessageId,
    agentExchangeId: state.events("agent_message")[0]?.agentExchangeId,
  });
  expect(state.agents.last("ada").inputs[1]).toMatchObject({
    from: { kind: "table" },
    missed: [{ speaker: { kind: "member", name: "bob" }, text: "It is 4." }],
  });
  checkLog(state.all(), { settled: true });
});

test("[S152] thanks start no turn: as an answer they come with the next turn", async () => {
  const thanking = await startSession({
    ada: member("ada", () => asks("bob", { text: "Thanks, bob!" })),
    bob: member("bob"),
  });
  await thanking.send("go", { to: ["ada"] });
  expect(startsOf(thanking, "bob")).toEqual([]);
  expect(exchangesOf(thanking)).toEqual([{ from: "ada", to: "bob", ok: true, text: "" }]);
  expect(answersTo(thanking, "ada")).toEqual([
    ok({ from: "bob", answer: expect.stringContaining("do not start a turn") }),
  ]);

  const thanked = await startSession({
    ada: member("ada", ({ text }) => (text === "go" ? asks("bob", { wait: false }) : [])),
    bob: { script: () => [says("Thank you, noted.")] },
  });
  await thanked.send("go", { to: ["ada"] });
  expect(startsOf(thanked, "ada")).toHaveLength(1);
  await thanked.send("and?", { to: ["ada"] });
  expect(startsOf(thanked, "ada")).toHaveLength(2);
  expect(thanked.agents.last("ada").inputs[1]?.missed?.at(-1)).toEqual({
    speaker: { kind: "member", name: "bob" },
    text: "Thank you, noted.",
  });
});

test("[S153] a busy member is not steered: the question waits, and messages of the user go first", async () => {
  const state = await startSession({
    ada: member("ada", () => asks("bob")),
    bob: {
      capabilities: { steer: true },
      steer: "ignores",
      script: ({ from }) => (from === undefined ? [{ wait: 1_000 }, says("mine")] : [says("yours")]),
    },
  });
  await state.send("work", { to: ["bob"] });
  await state.send("go", { to: ["ada"] });
  await state.send("more work", { to: ["bob"] });
  await state.clock.advance(5_000);
  expect(startsOf(state, "bob").map((event) => event.cause)).toEqual(["user", "user", "exchange"]);
  expect(state.agents.last("bob").steers.map((steer) => steer.text)).toEqual(["more work"]);
  expect(exchangesOf(state)).toEqual([{ from: "ada", to: "bob", ok: true, text: "yours" }]);
});

test("[S154] a cyclic question is refused with the reason, and the others continue", async () => {
  const state = await startSession({
    ada: member("ada", () => asks("bob")),
    bob: { script: () => [...asks("cyd"), says("b")] },
    cyd: { script: () => [...asks("ada"), ...asks("bob"), says("c")] },
  });
  await state.send("go", { to: ["ada"] });
  expect(answersTo(state, "cyd")).toEqual([
    refused("You cannot wait for ada: ada waits for bob, which waits for cyd"),
    refused("You cannot wait for bob: bob waits for your answer"),
  ]);
  expect(exchangesOf(state)).toEqual([
    { from: "ada", to: "bob", ok: true, text: "b" },
    { from: "bob", to: "cyd", ok: true, text: "c" },
  ]);
  checkLog(state.all(), { settled: true });
});

test("[S154] two busy members that ask each other do not wait for ever", async () => {
  const state = await startSession({
    ada: member("ada", () => [{ wait: 10 }, ...asks("bob")]),
    bob: member("bob", () => [{ wait: 20 }, ...asks("ada")]),
  });
  await Promise.all([state.send("go", { to: ["ada"] }), state.send("go", { to: ["bob"] })]);
  await state.clock.advance(100);
  expect(answersTo(state, "bob")).toEqual([refused("ada waits for your answer")]);
  expect(exchangesOf(state)).toEqual([{ from: "ada", to: "bob", ok: true, text: "bob answers" }]);
  expect(state.session.isIdle).toBe(true);
});

test("a question to oneself, an unknown, a muted or a removed member is refused with the reason", async () => {
  const state = await startSession({
    ada: member("ada", ({ text }) => asks(text, { callId: text })),
    bob: member("bob"),
    cyd: member("cyd"),
  });
  await state.command({ type: "mute", member: "bob" });
  await state.command({ type: "remove_member", member: "cyd" });
  for (const name of ["ada", "zoe", "bob", "cyd"]) await state.send(name, { to: ["ada"] });
  expect(answersTo(state, "ada")).toEqual([
    refused("You cannot ask yourself"),
    refused('There is no member "zoe". You can ask bob.'),
    refused("bob is muted by the user"),
    refused('There is no member "cyd". You can ask bob.'),
  ]);
  expect(state.events("agent_message")).toEqual([]);
});

test("[S156] a question settles with the reason when its recipient fails, times out, is stopped, muted or removed", async () => {
  const failing = await startSession({
    ada: member("ada", () => asks("bob")),
    bob: { script: () => [{ end: "errored", reason: "no credit" }] },
  });
  await failing.send("go", { to: ["ada"] });
  expect(answersTo(failing, "ada")).toEqual([refused("bob failed before it answered: no credit")]);

  const slow = { ada: member("ada", () => asks("bob")), bob: { script: () => [{ hang: true as const }] } };
  const timing = await startSession(slow, { settings: { timeout: 10 } });
  await timing.send("go", { to: ["ada"] });
  await timing.clock.advance(10_000);
  expect(answersTo(timing, "ada")).toEqual([refused("bob took too long")]);

  for (const [command, messages] of [
    [{ type: "interrupt", scope: "member", member: "bob" }, "bob was stopped"],
    [{ type: "remove_member", member: "bob" }, "bob left the session"],
  ] as const) {
    const state = await startSession(slow);
    await state.send("go", { to: ["ada"] });
    await state.command(command);
    await settle();
    expect(answersTo(state, "ada")).toEqual([refused(messages)]);
    expect(state.events("turn_end").at(-1)).toMatchObject({ member: "ada", outcome: "completed" });
    checkLog(state.all(), { settled: true });
  }

  const queued = await startSession({ ...slow, bob: { script: () => [{ wait: 5_000 }] } });
  await queued.send("work", { to: ["bob"] });
  await queued.send("go", { to: ["ada"] });
  await queued.command({ type: "mute", member: "bob" });
  await settle();
  expect(answersTo(queued, "ada")).toEqual([refused("bob is muted")]);
});

test("[S157] an interrupt stops the asker and every member that answers it, at any depth, and starts no turn", async () => {
  for (const scope of ["own", "all", "member"] as const) {
    const state = await startSession({
      ada: member("ada", () => asks("bob")),
      bob: { script: () => asks("cyd") },
      cyd: { script: () => [says("half"), { hang: true }] },
    });
    await state.send("go", { to: ["ada"] });
    const ack = await state.command({ type: "interrupt", scope, ...(scope === "member" ? { member: "ada" } : {}) });
    await state.clock.advance(100_000);
    expect(ack).toMatchObject({ ok: true, result: { stopped: 3, othersRunning: 0 } });
    expect(state.events("output_cancelled")[0]?.turnIds).toHaveLength(3);
    expect(state.events("tool_result").map((event) => event.error?.code)).toEqual([
      "tool_interrupted",
      "tool_interrupted",
    ]);
    expect(exchangesOf(state).map((one) => one.ok)).toEqual([false, false]);
    expect(state.events("turn_start")).toHaveLength(3);
    expect(state.session.isIdle).toBe(true);
    checkLog(state.all(), { settled: true });
  }
});

test("[S157] an interrupt of own turns withdraws the waiting questions they caused and leaves others alone", async () => {
  const state = await startSession({
    ada: member("ada", () => asks("cyd", { wait: false })),
    bob: member("bob", () => asks("cyd", { wait: false })),
    cyd: { script: ({ from }) => (from === undefined ? [{ wait: 1_000 }] : [says("c")]) },
  });
  await state.send("work", { to: ["cyd"], clientId: "third" });
  await state.send("go", { to: ["ada"], clientId: "one" });
  await state.send("go", { to: ["bob"], clientId: "two" });
  await state.command({ type: "interrupt", scope: "own" }, "one");
  await state.clock.advance(5_000);
  expect(exchangesOf(state)).toMatchObject([
    { from: "ada", ok: false },
    { from: "bob", ok: true, text: "c" },
  ]);
  expect(startsOf(state, "ada")).toHaveLength(1);
  expect(startsOf(state, "bob")).toHaveLength(2);
});

test("a question ends with the turn that waits for it; an unread answer stays a turn", async () => {
  const state = await startSession({
    ada: { script: () => [...asks("bob").slice(0, 2), { wait: 10 }, { end: "completed" }] },
    bob: { script: () => [{ wait: 1_000 }, says("late")] },
  });
  await state.send("go", { to: ["ada"] });
  await state.clock.advance(10);
  expect(exchangesOf(state)).toMatchObject([{ ok: false, text: "ada ended its turn without waiting for the answer." }]);
  await state.clock.advance(2_000);
  expect(state.events("turn_end").map((event) => [event.member, event.outcome])).toEqual([
    ["ada", "completed"],
    ["bob", "completed"],
  ]);
  expect(state.events("agent_callback_result")).toHaveLength(1);
  checkLog(state.all(), { settled: true });
});

test("[S159] exchanges cut by a restart are settled once when the session reopens, and nothing starts", async () => {
  const state = await startSession({ ada: member("ada", () => asks("bob")), bob: { script: () => [{ hang: true }] } });
  await state.send("go", { to: ["ada"] });
  const again = await state.reopen();
  const third = await again.reopen();
  expect(exchangesOf(third)).toEqual([
    { from: "ada", to: "bob", ok: false, text: "restart: the program ended before bob answered." },
  ]);
  const asking = turnById(third.session.transcript, startsOf(state, "ada")[0]?.turnId ?? "");
  expect(asking?.blocks.find((block) => block.kind === "exchange")?.answer?.ok).toBe(false);
  expect(third.events("turn_start")).toHaveLength(2);
  checkLog(third.all(), { settled: true });
});

test("[S160] the asker's time limit pauses while it waits; an exchange may take twice the time of a turn", async () => {
  const settings = { timeout: 10 };
  const state = await startSession(
    {
      ada: member("ada", () => [...asks("bob"), { wait: 5_000 }]),
      bob: { script: ({ from }) => [{ wait: 9_000 }, says(from === undefined ? "mine" : "yours")] },
    },
    { settings },
  );
  await state.send("work", { to: ["bob"] });
  await state.send("go", { to: ["ada"] });
  await state.clock.advance(30_000);
  expect(state.events("turn_end").map((event) => event.outcome)).toEqual(["completed", "completed", "completed"]);

  const stuck = await startSession(
    {
      ada: member("ada", () => asks("bob")),
      bob: { script: () => [...asks("cyd"), { wait: 9_000 }] },
      cyd: { script: () => [{ wait: 9_000 }] },
    },
    { settings },
  );
  for (const text of ["one", "two"]) await stuck.send(text, { to: ["cyd"] });
  await stuck.send("go", { to: ["ada"] });
  await stuck.clock.advance(20_000);
  expect(answersTo(stuck, "ada")).toEqual([refused("bob did not answer within 20 s")]);
  await stuck.clock.advance(60_000);
  expect(exchangesOf(stuck).map((one) => one.ok)).toEqual([false, false]);
  expect(stuck.session.isIdle).toBe(true);
  checkLog(stuck.all(), { settled: true });
});

test("in sequential mode only a member that is being asked runs beside its asker", async () => {
  const state = await startSession(
    {
      ada: member("ada", () => [...asks("bob", { wait: false }), ...asks("cyd"), { wait: 1_000 }]),
      bob: member("bob"),
      cyd: { script: () => [{ wait: 500 }, says("c")] },
    },
    { settings: { mode: "sequential" } },
  );
  await state.send("go", { to: ["ada"] });
  await state.clock.advance(5_000);
  const order = state.all().flatMap((event) => (event.type === "turn_start" ? [`${event.member} ${event.cause}`] : []));
  expect(order).toEqual(["ada user", "cyd exchange", "bob exchange", "ada exchange"]);
  checkLog(state.all(), { settled: true });
});

test("[S162] a member stopped by the user is not asked by earlier turns; a later message may ask it", async () => {
  const state = await startSession({
    ada: member("ada", ({ text }) => [{ wait: 1_000 }, ...asks("bob", { callId: text })]),
    bob: { script: ({ from }) => (from === undefined ? [{ hang: true }] : [says("b")]) },
  });
  await state.send("go", { to: ["ada"] });
  await state.send("work", { to: ["bob"] });
  await state.command({ type: "interrupt", scope: "member", member: "bob" });
  await state.clock.advance(2_000);
  expect(answersTo(state, "ada")).toEqual([refused("bob was stopped by the user")]);
  await state.send("again", { to: ["ada"] });
  await state.clock.advance(2_000);
  expect(exchangesOf(state)).toEqual([{ from: "ada", to: "bob", ok: true, text: "b" }]);
});

test("an oversized question is refused, and an oversized answer is truncated with a mark", async () => {
  const state = await startSession({
    ada: member("ada", ({ text }) => asks("bob", { callId: text, text: text === "long" ? "x".repeat(40_000) : "?" })),
    bob: { script: () => [says("y".repeat(100_000))] },
  });
  await state.send("long", { to: ["ada"] });
  await state.send("short", { to: ["ada"] });
  expect(answersTo(state, "ada")[0]).toEqual(refused("The question has 40000 bytes; the limit is 32768"));
  const [answer] = state.events("agent_callback_result");
  expect(Buffer.byteLength(answer?.text ?? "")).toBeLessThan(50_000);
  expect(answer?.text).toMatch(/y\n\[… truncated; the complete answer is in its turn\]$/);
});
