import { expect, test } from "vitest";
import { newId } from "../kit/ids.ts";
import { seat, type Seated } from "../../test/session/seated-session.ts";
import type { Behaviour } from "../../test/session/scripted-agent.ts";
import { PENDING_PER_MEMBER_MAX, QUEUE_ITEMS_MAX } from "./limits.ts";

/** Takes 100 ms for each turn. */
const slow: Behaviour = { script: ({ text }) => [{ wait: 100 }, { type: "text_delta", text: `re ${text}` }] };
const fast: Behaviour = {};

/** Who was given which texts, in order, one entry per turn. */
function given(table: Seated, member: string): string[] {
  return table.agents.of(member).flatMap((agent) => agent.inputs.map((input) => input.text));
}

function queued(table: Seated): string[] {
  return table.session.transcript.head.queue.map((item) => item.text);
}

function deliveries(table: Seated, messageId: unknown, member: string): string[] {
  return table
    .events("message_delivery")
    .filter((event) => event.messageId === messageId && event.member === member)
    .map((event) => (event.reason === undefined ? event.state : `${event.state} ${event.reason}`));
}

function resultOf(ack: Awaited<ReturnType<Seated["say"]>>): Record<string, unknown> {
  if (!ack.ok) throw new Error(ack.error.message);
  return ack.result as Record<string, unknown>;
}

const add = (table: Seated, text: string) => table.command({ type: "queue_add", text, clientMessageId: newId() });
const steer = (table: Seated, text: string) => table.command({ type: "steer", text, clientMessageId: newId() });

test("[S4] a message to all is asked of every unmuted member at the same time and opens round 1", async () => {
  const table = await seat({ ada: slow, bob: slow, cyd: slow });
  await table.command({ type: "mute", member: "cyd" });
  const ack = await table.say("hello");
  const message = table.events("user_message")[0]!;
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
  expect(table.events("turn_start")).toMatchObject([
    { member: "ada", ...common, ...span },
    { member: "bob", ...common, ...span },
  ]);
  await table.clock.advance(100);
  expect(table.events("turn_end").map((event) => [event.member, event.outcome, event.durationMs])).toEqual([
    ["ada", "completed", 100],
    ["bob", "completed", 100],
  ]);
  expect(deliveries(table, messageId, "ada")).toEqual(["pending", "delivered", "answering", "answered"]);
  expect(table.session.isIdle).toBe(true);
  expect(table.clock.timers).toBe(0);
});

test("[S4] a message to one member opens no round", async () => {
  const table = await seat({ ada: fast, bob: fast });
  await table.say("@bob hello");
  expect(table.events("turn_start")).toMatchObject([{ member: "bob" }]);
  expect(table.events("turn_start")[0]?.round).toBeUndefined();
  expect(table.events("user_message")).toMatchObject([{ text: "hello", to: ["bob"], toAll: false }]);
  expect(given(table, "bob")).toEqual(["hello"]);
});

test("[S6] when nobody can be asked the message is refused, and nothing is written", async () => {
  const table = await seat({ ada: fast, bob: fast });
  await table.command({ type: "mute", member: "ada" });
  const seq = table.session.transcript.head.seq;
  expect(await table.say("@ada hi")).toMatchObject({ ok: false, error: { code: "nobody_to_ask" } });
  expect(await table.say("@ada @bob hi")).toMatchObject({ ok: true, result: { muted: ["ada"] } });
  await table.command({ type: "mute", member: "bob" });
  expect(await table.say("hi")).toMatchObject({ ok: false, error: { code: "nobody_to_ask" } });
  expect(await table.say("   ")).toMatchObject({ ok: false, error: { code: "bad_command" } });
  expect(table.all().filter((event) => event.seq > seq && event.type === "user_message").length).toBe(1);
  const nobody = await seat({});
  expect(await nobody.say("hi")).toMatchObject({
    ok: false,
    error: { code: "nobody_to_ask", message: "No member is seated in this session." },
  });
});

test("[S11] a message somebody can take is said at once; the others hold it and take what waits together, in order", async () => {
  const table = await seat({ ada: fast, bob: slow });
  await table.say("@bob first");
  const second = await table.say("second");
  const third = await table.say("third");
  expect(resultOf(second)).toEqual({ messageId: expect.any(String), placed: "sent", waiting: ["bob"] });
  expect(given(table, "ada")).toEqual(["second", "third"]);
  expect(given(table, "bob")).toEqual(["first"]);
  expect(deliveries(table, resultOf(second)["messageId"], "bob")).toEqual(["pending waiting"]);
  expect(table.session.transcript.head.members["bob"]?.state).toBe("running");
  await table.clock.advance(100);
  expect(given(table, "bob")).toEqual(["first", "second\n\nthird"]);
  const last = table.events("turn_start").at(-1);
  const ids = [resultOf(second)["messageId"], resultOf(third)["messageId"]];
  expect(last).toMatchObject({ member: "bob", messageIds: ids, rootMessageId: ids[1], round: 1 });
  await table.clock.advance(100);
  expect(deliveries(table, ids[0], "bob")).toEqual(["pending waiting", "delivered", "answering", "answered"]);
});

test("[S12] a message nobody can take is a queue item, and leaves the queue when an addressee is free", async () => {
  const table = await seat({ ada: slow, bob: slow });
  await table.say("one");
  const ack = await table.say("two");
  const third = await table.say("@bob three");
  const updated = table.events("queue_updated");
  expect(ack).toMatchObject({ ok: true, seq: updated[0]?.seq, result: { placed: "queued" } });
  expect(resultOf(third)).toMatchObject({ placed: "queued" });
  expect(updated[1]?.items).toMatchObject([
    { text: "two", to: ["all"], clientId: "me" },
    { text: "three", to: ["bob"] },
  ]);
  expect(queued(table)).toEqual(["two", "three"]);
  await table.clock.advance(100);
  expect([given(table, "ada"), given(table, "bob")]).toEqual([
    ["one", "two"],
    ["one", "two"],
  ]);
  expect(queued(table)).toEqual(["three"]);
  await table.clock.advance(200);
  expect(given(table, "bob")).toEqual(["one", "two", "three"]);
  expect(queued(table)).toEqual([]);
  expect(table.session.isIdle).toBe(true);
});

test("[S14] a message takes along the queue items it would overtake", async () => {
  const table = await seat({ ada: fast, bob: slow, cyd: slow });
  await table.say("@bob @cyd busy");
  await table.say("@cyd to cyd");
  await table.say("@bob @cyd to both");
  await table.say("@bob to bob");
  expect(queued(table)).toEqual(["to cyd", "to both", "to bob"]);
  const ack = await table.say("@ada @bob now");
  expect(resultOf(ack)).toMatchObject({ placed: "sent", waiting: ["bob"] });
  expect(queued(table)).toEqual([]);
  expect(table.events("user_message").map((event) => event.text)).toEqual([
    "busy",
    "to cyd",
    "to both",
    "to bob",
    "now",
  ]);
  expect(given(table, "ada")).toEqual(["now"]);
  await table.clock.advance(100);
  expect(given(table, "bob")).toEqual(["busy", "to both\n\nto bob\n\nnow"]);
  expect(given(table, "cyd")).toEqual(["busy", "to cyd\n\nto both"]);
});

test("[S13] queue items can be edited, reordered, removed and promoted until they leave", async () => {
  const table = await seat({ ada: slow, bob: slow });
  await table.say("busy");
  const ids: string[] = [];
  for (const text of ["a", "b", "c", "d"]) ids.push(String(resultOf(await table.say(text))["messageId"]));
  const [a, b, c, d] = ids as [string, string, string, string];
  await table.command({ type: "queue_edit", messageId: b, text: "@ada changed" });
  await table.command({ type: "queue_reorder", messageIds: [d, b] });
  await table.command({ type: "queue_remove", messageId: a });
  expect(table.session.transcript.head.queue).toMatchObject([
    { messageId: d, text: "d", to: ["all"] },
    { messageId: b, text: "changed", to: ["ada"] },
    { messageId: c, text: "c", to: ["all"] },
  ]);
  const promoted = await table.command({ type: "queue_promote", messageId: c });
  expect(promoted).toMatchObject({ ok: true, result: { messageId: c, placed: "queued" } });
  expect(queued(table)).toEqual(["c", "d", "changed"]);
  expect(await table.command({ type: "queue_edit", messageId: c, text: " " })).toMatchObject({
    error: { code: "bad_command" },
  });
  expect(await table.command({ type: "queue_remove", messageId: a })).toMatchObject({
    error: { code: "unknown_message" },
  });
  await table.clock.advance(400);
  expect(given(table, "ada")).toEqual(["busy", "c", "d", "changed"]);
  expect(given(table, "bob")).toEqual(["busy", "c", "d"]);
  expect(await table.command({ type: "queue_promote", messageId: c })).toMatchObject({
    error: { message: `Message "${c}" is not in the queue: it has already left the queue.` },
  });
});

test("[S13] a promoted item goes into the running turn of a member that can be steered", async () => {
  const table = await seat({ ada: { ...slow, capabilities: { steer: true } }, bob: slow });
  await table.say("busy");
  await add(table, "@ada earlier");
  const ack = await add(table, "@ada @bob later");
  const promoted = await table.command({ type: "queue_promote", messageId: String(resultOf(ack)["messageId"]) });
  expect(promoted).toMatchObject({ result: { placed: "sent", steering: ["ada"], waiting: ["bob"] } });
  await table.clock.advance(0);
  expect(table.agents.last("ada").steers.map((one) => one.text)).toEqual(["later"]);
  expect(queued(table)).toEqual(["earlier"]);
  await table.clock.advance(100);
  expect(given(table, "bob")).toEqual(["busy", "later"]);
});

test("[S15] a send to a running member that can be steered goes into its turn, and the log says when it was taken", async () => {
  const table = await seat({ ada: { ...slow, capabilities: { steer: true } } });
  await table.say("start");
  const ack = await table.say("and this");
  const { messageId } = resultOf(ack) as { messageId: string };
  expect(resultOf(ack)).toEqual({ messageId, placed: "sent", steering: ["ada"] });
  const turnId = table.events("turn_start")[0]?.turnId;
  expect(table.events("steering")).toMatchObject([{ messageId, member: "ada", turnId }]);
  expect(deliveries(table, messageId, "ada")).toEqual(["pending steering", "delivered"]);
  await table.clock.advance(100);
  expect(deliveries(table, messageId, "ada")).toEqual(["pending steering", "delivered", "answering", "answered"]);
  expect(table.events("turn_start").length).toBe(1);
});

test("[S15] a steer that the agent did not take before its turn ended is delivered anew", async () => {
  const table = await seat({ ada: { ...slow, steer: "ignores", capabilities: { steer: true } } });
  await table.say("start");
  await table.say("x");
  await table.say("y");
  expect(table.agents.last("ada").steers.map((one) => one.text)).toEqual(["x"]);
  await table.clock.advance(100);
  expect(given(table, "ada")).toEqual(["start", "x\n\ny"]);
  expect(table.events("steering")).toEqual([]);
});

test("[S16] queue_add never steers; a steer to a member that cannot be steered waits, and the answer says so", async () => {
  const table = await seat({ ada: { ...slow, capabilities: { steer: true } }, bob: slow });
  await table.say("busy");
  expect(resultOf(await add(table, "@ada later"))).toMatchObject({ placed: "queued" });
  expect(resultOf(await steer(table, "@bob now"))).toMatchObject({ placed: "queued" });
  expect(resultOf(await steer(table, "now"))).toMatchObject({ placed: "sent", steering: ["ada"], waiting: ["bob"] });
  // A usual send does not overtake what waits in the queue for the same member.
  expect(resultOf(await table.say("@ada usual"))).toMatchObject({ placed: "queued" });
  expect(table.agents.last("ada").steers.map((one) => one.text)).toEqual(["now"]);
  await table.clock.advance(300);
  expect(given(table, "ada")).toEqual(["busy", "later", "usual"]);
});

test("[S41] in sequential mode one member is asked after the other, in the order of the settings", async () => {
  const table = await seat(
    { ada: slow, bob: slow, cyd: slow },
    { settings: { mode: "sequential", order: ["cyd", "ada"] } },
  );
  await table.say("one");
  await table.say("two");
  const order: string[] = [];
  for (let turn = 0; turn < 7; turn += 1) {
    order.push(
      Object.values(table.session.transcript.head.openTurns)
        .map((open) => open.member)
        .join(" "),
    );
    await table.clock.advance(100);
  }
  expect(order).toEqual(["cyd", "ada", "bob", "cyd", "ada", "bob", ""]);
  expect(given(table, "bob")).toEqual(["one", "two"]);
});

test("[S42] the queue and what waits for one member have limits, and the refusal names them", async () => {
  const table = await seat({ ada: slow, bob: fast });
  await table.say("@ada busy");
  for (let count = 0; count < PENDING_PER_MEMBER_MAX; count += 1) await table.say("more");
  expect(await table.say("too many")).toMatchObject({
    error: { code: "busy", message: "ada already has 100 messages waiting." },
  });
  const other = await seat({ ada: slow });
  await other.say("busy");
  for (let count = 0; count < QUEUE_ITEMS_MAX; count += 1) await other.say(`item ${count}`);
  expect(await other.say("too many")).toMatchObject({
    error: { code: "too_large", message: "The queue is full: it holds 100 messages." },
  });
  const large = await seat({ ada: slow });
  await large.say("busy");
  let ack = await large.say("x".repeat(16_000));
  for (let count = 0; ack.ok && count < QUEUE_ITEMS_MAX; count += 1)
    ack = await large.say(`${count}${"x".repeat(16_000)}`);
  expect(ack).toMatchObject({
    error: { code: "too_large", message: expect.stringContaining("more than 229376 bytes") },
  });
});
