import { expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { startSession, type SessionRun } from "../../../test/session/session-run.ts";
import type { Behaviour } from "../../../test/session/scripted-agent.ts";
import { PENDING_PER_MEMBER_MAX, QUEUE_ITEMS_MAX } from "../limits.ts";

/** Takes 100 ms for each turn. */
const slow: Behaviour = { script: ({ text }) => [{ wait: 100 }, { type: "text_delta", text: `re ${text}` }] };
const fast: Behaviour = {};

/** Texts given to each member, in order, one entry per turn. */
function given(state: SessionRun, member: string): string[] {
  return state.agents.of(member).flatMap((agent) => agent.inputs.map((input) => input.text));
}

function queued(state: SessionRun): string[] {
  return state.session.transcript.head.queue.map((item) => item.text);
}

function deliveries(state: SessionRun, messageId: unknown, member: string): string[] {
  return state
    .events("message_delivery")
    .filter((event) => event.messageId === messageId && event.member === member)
    .map((event) => (event.reason === undefined ? event.state : `${event.state} ${event.reason}`));
}

function resultOf(ack: Awaited<ReturnType<SessionRun["send"]>>): Record<string, unknown> {
  if (!ack.ok) throw new Error(ack.error.message);
  return ack.result as Record<string, unknown>;
}

const add = (state: SessionRun, text: string) => state.command({ type: "queue_add", text, clientMessageId: newId() });
const steer = (state: SessionRun, text: string) => state.command({ type: "steer", text, clientMessageId: newId() });

test("[S4] a message to all is asked of every unmuted member at the same time and opens round 1", async () => {
  const state = await startSession({ ada: slow, bob: slow, cyd: slow });
  await state.command({ type: "mute", member: "cyd" });
  const ack = await state.send("hello");
  const message = state.events("user_message")[0]!;
  expect(message).toMatchObject({ text: "hello", to: ["ada", "bob"], toAll: true, clientId: "me" });
  expect(ack).toEqual({
    commandId: expect.any(String),
    ok: true,
    seq: message.seq,
    result: { messageId: message.messageId, placed: "sent" },
  });
  const { messageId } = message;
  const common = { cause: "user", messageIds: [messageId], rootMessageId: messageId, round: 1, depth: 0 };
  const span = { given: { fromSeq: message.seq, toSeq: message.seq } };
  expect(state.events("turn_start")).toMatchObject([
    { member: "ada", ...common, ...span },
    { member: "bob", ...common, ...span },
  ]);
  await state.clock.advance(100);
  expect(state.events("turn_end").map((event) => [event.member, event.outcome, event.durationMs])).toEqual([
    ["ada", "completed", 100],
    ["bob", "completed", 100],
  ]);
  expect(deliveries(state, messageId, "ada")).toEqual(["pending", "delivered", "answering", "answered"]);
  expect(state.session.isIdle).toBe(true);
  expect(state.clock.timers).toBe(0);
});

test("[S4] a message to one member opens no round", async () => {
  const state = await startSession({ ada: fast, bob: fast });
  await state.send("@bob hello");
  expect(state.events("turn_start")).toMatchObject([{ member: "bob" }]);
  expect(state.events("turn_start")[0]?.round).toBeUndefined();
  expect(state.events("user_message")).toMatchObject([{ text: "hello", to: ["bob"], toAll: false }]);
  expect(given(state, "bob")).toEqual(["hello"]);
});

test("[S6] a message without available recipients is refused, and nothing is written", async () => {
  const state = await startSession({ ada: fast, bob: fast });
  await state.command({ type: "mute", member: "ada" });
  const seq = state.session.transcript.head.seq;
  expect(await state.send("@ada hi")).toMatchObject({ ok: false, error: { code: "nobody_to_ask" } });
  expect(await state.send("@ada @bob hi")).toMatchObject({ ok: true, result: { muted: ["ada"] } });
  await state.command({ type: "mute", member: "bob" });
  expect(await state.send("hi")).toMatchObject({ ok: false, error: { code: "nobody_to_ask" } });
  expect(await state.send("   ")).toMatchObject({ ok: false, error: { code: "bad_command" } });
  expect(state.all().filter((event) => event.seq > seq && event.type === "user_message").length).toBe(1);
  const nobody = await startSession({});
  expect(await nobody.send("hi")).toMatchObject({
    ok: false,
    error: { code: "nobody_to_ask", message: "The session has no members." },
  });
});

test("[S11] a message is delivered at once to free members; the others get all waiting messages together, in order", async () => {
  const state = await startSession({ ada: fast, bob: slow });
  await state.send("@bob first");
  const second = await state.send("second");
  const third = await state.send("third");
  expect(resultOf(second)).toEqual({ messageId: expect.any(String), placed: "sent", waiting: ["bob"] });
  expect(given(state, "ada")).toEqual(["second", "third"]);
  expect(given(state, "bob")).toEqual(["first"]);
  expect(deliveries(state, resultOf(second)["messageId"], "bob")).toEqual(["pending waiting"]);
  expect(state.session.transcript.head.members["bob"]?.state).toBe("running");
  await state.clock.advance(100);
  expect(given(state, "bob")).toEqual(["first", "second\n\nthird"]);
  const last = state.events("turn_start").at(-1);
  const ids = [resultOf(second)["messageId"], resultOf(third)["messageId"]];
  expect(last).toMatchObject({ member: "bob", messageIds: ids, rootMessageId: ids[1], round: 1 });
  await state.clock.advance(100);
  expect(deliveries(state, ids[0], "bob")).toEqual(["pending waiting", "delivered", "answering", "answered"]);
});

test("[S12] a message without a free recipient is queued until one is free", async () => {
  const state = await startSession({ ada: slow, bob: slow });
  await state.send("one");
  const ack = await state.send("two");
  const third = await state.send("@bob three");
  const updated = state.events("queue_updated");
  expect(ack).toMatchObject({ ok: true, seq: updated[0]?.seq, result: { placed: "queued" } });
  expect(resultOf(third)).toMatchObject({ placed: "queued" });
  expect(updated[1]?.items).toMatchObject([
    { text: "two", to: ["all"], clientId: "me" },
    { text: "three", to: ["bob"] },
  ]);
  expect(queued(state)).toEqual(["two", "three"]);
  await state.clock.advance(100);
  expect([given(state, "ada"), given(state, "bob")]).toEqual([
    ["one", "two"],
    ["one", "two"],
  ]);
  expect(queued(state)).toEqual(["three"]);
  await state.clock.advance(200);
  expect(given(state, "bob")).toEqual(["one", "two", "three"]);
  expect(queued(state)).toEqual([]);
  expect(state.session.isIdle).toBe(true);
});

test("a message takes earlier queue items along", async () => {
  const state = await startSession({ ada: fast, bob: slow, cyd: slow });
  await state.send("@bob @cyd busy");
  await state.send("@cyd to cyd");
  await state.send("@bob @cyd to both");
  await state.send("@bob to bob");
  expect(queued(state)).toEqual(["to cyd", "to both", "to bob"]);
  const ack = await state.send("@ada @bob now");
  expect(resultOf(ack)).toMatchObject({ placed: "sent", waiting: ["bob"] });
  expect(queued(state)).toEqual([]);
  expect(state.events("user_message").map((event) => event.text)).toEqual([
    "busy",
    "to cyd",
    "to both",
    "to bob",
    "now",
  ]);
  expect(given(state, "ada")).toEqual(["now"]);
  await state.clock.advance(100);
  expect(given(state, "bob")).toEqual(["busy", "to both\n\nto bob\n\nnow"]);
  expect(given(state, "cyd")).toEqual(["busy", "to cyd\n\nto both"]);
});

test("whoever edits a queued message is its author", async () => {
  const state = await startSession({ ada: slow });
  await state.send("busy");
  const messageId = String(resultOf(await state.send("run the tests", { clientId: "theirs" }))["messageId"]);
  await state.command({ type: "queue_edit", messageId, text: "push to production" }, "mine");
  await state.clock.advance(200);
  expect(state.events("user_message").at(-1)).toMatchObject({ text: "push to production", clientId: "mine" });
});

test("queue items can be edited, reordered, removed and promoted until they leave", async () => {
  const state = await startSession({ ada: slow, bob: slow });
  await state.send("busy");
  const ids: string[] = [];
  for (const text of ["a", "b", "c", "d"]) ids.push(String(resultOf(await state.send(text))["messageId"]));
  const [a, b, c, d] = ids as [string, string, string, string];
  await state.command({ type: "queue_edit", messageId: b, text: "@ada changed" });
  await state.command({ type: "queue_reorder", messageIds: [d, b] });
  await state.command({ type: "queue_remove", messageId: a });
  expect(state.session.transcript.head.queue).toMatchObject([
    { messageId: d, text: "d", to: ["all"] },
    { messageId: b, text: "changed", to: ["ada"] },
    { messageId: c, text: "c", to: ["all"] },
  ]);
  const promoted = await state.command({ type: "queue_promote", messageId: c });
  expect(promoted).toMatchObject({ ok: true, result: { messageId: c, placed: "queued" } });
  expect(queued(state)).toEqual(["c", "d", "changed"]);
  expect(await state.command({ type: "queue_edit", messageId: c, text: " " })).toMatchObject({
    error: { code: "bad_command" },
  });
  expect(await state.command({ type: "queue_remove", messageId: a })).toMatchObject({
    error: { code: "unknown_message" },
  });
  await state.clock.advance(400);
  expect(given(state, "ada")).toEqual(["busy", "c", "d", "changed"]);
  expect(given(state, "bob")).toEqual(["busy", "c", "d"]);
  expect(await state.command({ type: "queue_promote", messageId: c })).toMatchObject({
    error: { message: `Message "${c}" is not in the queue: it has already left the queue.` },
  });
});

test("a promoted item goes into the running turn of a member that can be steered", async () => {
  const state = await startSession({ ada: { ...slow, capabilities: { steer: true } }, bob: slow });
  await state.send("busy");
  await add(state, "@ada earlier");
  const ack = await add(state, "@ada @bob later");
  const promoted = await state.command({ type: "queue_promote", messageId: String(resultOf(ack)["messageId"]) });
  expect(promoted).toMatchObject({ result: { placed: "sent", steering: ["ada"], waiting: ["bob"] } });
  await state.clock.advance(0);
  expect(state.agents.last("ada").steers.map((one) => one.text)).toEqual(["later"]);
  expect(queued(state)).toEqual(["earlier"]);
  await state.clock.advance(100);
  expect(given(state, "bob")).toEqual(["busy", "later"]);
});

test("[S15] a send to a running member that can be steered goes into its turn, and the log records when it arrived", async () => {
  const state = await startSession({ ada: { ...slow, capabilities: { steer: true } } });
  await state.send("start");
  const ack = await state.send("and this");
  const { messageId } = resultOf(ack) as { messageId: string };
  expect(resultOf(ack)).toEqual({ messageId, placed: "sent", steering: ["ada"] });
  const turnId = state.events("turn_start")[0]?.turnId;
  expect(state.events("steering")).toMatchObject([{ messageId, member: "ada", turnId }]);
  expect(deliveries(state, messageId, "ada")).toEqual(["pending steering", "delivered"]);
  await state.clock.advance(100);
  expect(deliveries(state, messageId, "ada")).toEqual(["pending steering", "delivered", "answering", "answered"]);
  expect(state.events("turn_start").length).toBe(1);
});

test("[S15] a steer that the agent did not read before its turn ended is delivered again", async () => {
  const state = await startSession({ ada: { ...slow, steer: "ignores", capabilities: { steer: true } } });
  await state.send("start");
  await state.send("x");
  await state.send("y");
  expect(state.agents.last("ada").steers.map((one) => one.text)).toEqual(["x"]);
  await state.clock.advance(100);
  expect(given(state, "ada")).toEqual(["start", "x\n\ny"]);
  expect(state.events("steering")).toEqual([]);
});

test("queue_add never steers; a steer to a member that cannot be steered waits, and the answer says so", async () => {
  const state = await startSession({ ada: { ...slow, capabilities: { steer: true } }, bob: slow });
  await state.send("busy");
  expect(resultOf(await add(state, "@ada later"))).toMatchObject({ placed: "queued" });
  expect(resultOf(await steer(state, "@bob now"))).toMatchObject({ placed: "queued" });
  expect(resultOf(await steer(state, "now"))).toMatchObject({ placed: "sent", steering: ["ada"], waiting: ["bob"] });
  // An ordinary send does not overtake the queue of the same member.
  expect(resultOf(await state.send("@ada usual"))).toMatchObject({ placed: "queued" });
  expect(state.agents.last("ada").steers.map((one) => one.text)).toEqual(["now"]);
  await state.clock.advance(300);
  expect(given(state, "ada")).toEqual(["busy", "later", "usual"]);
});

test("[S41] in sequential mode members are asked one after another, in the order of the settings", async () => {
  const state = await startSession(
    { ada: slow, bob: slow, cyd: slow },
    { settings: { mode: "sequential", order: ["cyd", "ada"] } },
  );
  await state.send("one");
  await state.send("two");
  const order: string[] = [];
  for (let turn = 0; turn < 7; turn += 1) {
    order.push(
      Object.values(state.session.transcript.head.openTurns)
        .map((open) => open.member)
        .join(" "),
    );
    await state.clock.advance(100);
  }
  expect(order).toEqual(["cyd", "ada", "bob", "cyd", "ada", "bob", ""]);
  expect(given(state, "bob")).toEqual(["one", "two"]);
});

test("the queue and a member's waiting messages have limits, and the refusal names them", async () => {
  const state = await startSession({ ada: slow, bob: fast });
  await state.send("@ada busy");
  for (let count = 0; count < PENDING_PER_MEMBER_MAX; count += 1) await state.send("more");
  expect(await state.send("too many")).toMatchObject({
    error: { code: "busy", message: "ada already has 100 messages waiting." },
  });
  const other = await startSession({ ada: slow });
  await other.send("busy");
  for (let count = 0; count < QUEUE_ITEMS_MAX; count += 1) await other.send(`item ${count}`);
  expect(await other.send("too many")).toMatchObject({
    error: { code: "too_large", message: "The queue is full: it holds 100 messages." },
  });
  const large = await startSession({ ada: slow });
  await large.send("busy");
  let ack = await large.send("x".repeat(16_000));
  for (let count = 0; ack.ok && count < QUEUE_ITEMS_MAX; count += 1)
    ack = await large.send(`${count}${"x".repeat(16_000)}`);
  expect(ack).toMatchObject({
    error: { code: "too_large", message: expect.stringContaining("more than 229376 bytes") },
  });
});
