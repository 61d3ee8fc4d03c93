import { expect, test } from "vitest";
import { startSession, specOf } from "../../test/session/session-run.ts";
import type { Behaviour } from "../../test/session/scripted-agent.ts";
import { MEMBERS_MAX } from "./limits.ts";

const hanging: Behaviour = { script: () => [{ type: "text_delta", text: "so far" }, { hang: true }] };
import { SCREEN_BACK_MS } from "./members.ts";

test("[S33] a muted member is not asked, its pending messages are dropped, and its running turn continues", async () => {
  const state = await startSession({ ada: { script: () => [{ wait: 100 }] }, bob: {} });
  await state.send("one");
  await state.send("two");
  await state.command({ type: "mute", member: "ada" });
  await state.command({ type: "mute", member: "ada" });
  expect(state.events("member_muted").length).toBe(1);
  await state.send("three");
  await state.clock.advance(100);
  expect(state.agents.last("ada").inputs.map((input) => input.text)).toEqual(["one"]);
  expect(state.events("turn_end").filter((event) => event.member === "ada")).toMatchObject([{ outcome: "completed" }]);
  const dropped = state.events("message_delivery").filter((event) => event.state === "dropped");
  expect(dropped).toMatchObject([
    { member: "ada", messageId: state.events("user_message")[1]!.messageId, reason: "muted" },
  ]);
  await state.command({ type: "unmute", member: "ada" });
  await state.send("four");
  expect(state.agents.last("ada").inputs.map((input) => input.text)).toEqual(["one", "four"]);
});

test("[S33] a mute from a screen ends when the last screen leaves, unless one returns within the grace period", async () => {
  const state = await startSession({ ada: {}, bob: {} });
  const { session, clock } = state;
  const isMuted = () => session.transcript.head.members["ada"]?.muted;
  session.clientJoined("one");
  session.clientJoined("two");
  await state.command({ type: "mute", member: "ada" }, "one");
  session.clientLeft("one");
  await clock.advance(SCREEN_BACK_MS);
  expect(isMuted()).toBe(true);
  session.clientLeft("two");
  session.clientJoined("two");
  await clock.advance(SCREEN_BACK_MS);
  expect(isMuted()).toBe(true);
  session.clientLeft("two");
  await clock.advance(SCREEN_BACK_MS);
  expect(isMuted()).toBe(false);
});

test("[S33] a mute by a client that follows nothing outlives the screens", async () => {
  const state = await startSession({ ada: {}, bob: {} });
  await state.command({ type: "mute", member: "ada" }, "command");
  state.session.clientJoined("one");
  state.session.clientLeft("one");
  await state.clock.advance(SCREEN_BACK_MS);
  expect(state.session.transcript.head.members["ada"]?.muted).toBe(true);
});

test("[S33] mute ends when the session is opened again", async () => {
  const state = await startSession({ ada: {}, bob: {} });
  await state.command({ type: "mute", member: "ada" });
  const later = await state.reopen();
  expect(later.events("member_unmuted")).toMatchObject([{ member: "ada", reason: "reopened" }]);
  expect(later.session.transcript.head.members["ada"]?.muted).toBe(false);
});

test("removing a member stops its turn, keeps its text and drops its pending messages; late output does not bring it back", async () => {
  const state = await startSession({ ada: { ...hanging, interrupt: "deaf" }, bob: {} });
  await state.send("one");
  await state.send("two");
  const { seq } = state.session.transcript.head;
  await state.command({ type: "remove_member", member: "ada" });
  expect(state.typesAfter(seq)).toEqual([
    "text_done",
    "turn_end",
    "message_delivery",
    "message_delivery",
    "member_left",
  ]);
  expect(state.events("turn_end").at(-1)).toMatchObject({
    member: "ada",
    outcome: "interrupted",
    reason: "member_left",
  });
  expect(state.events("text_done").at(-1)).toMatchObject({ text: "so far", interrupted: true });
  state.agents.last("ada").emit({ type: "text_delta", text: "more" });
  state.agents.last("ada").emit({ type: "member_session", nativeSessionId: "x" });
  await state.clock.advance(10_000);
  expect(state.agents.last("ada").isClosed).toBe(true);
  expect(state.session.transcript.head.members["ada"]).toMatchObject({ seated: false });
  expect(await state.send("@ada hello")).toMatchObject({
    error: { code: "unknown_member", hint: "Members: bob." },
  });
  await state.send("all");
  expect(state.events("user_message").at(-1)?.to).toEqual(["bob"]);
  await state.command({ type: "add_member", spec: specOf("ada") });
  expect(state.session.transcript.head.members["ada"]).toMatchObject({ seated: true });
});

test("a member joins with its agent's capabilities; its name must be free and not `all`, and their number is limited", async () => {
  const state = await startSession({ ada: {} });
  state.agents.behaviours.set("bob", { capabilities: { steer: true, images: true } });
  expect(await state.command({ type: "add_member", spec: specOf("bob") })).toMatchObject({ ok: true });
  expect(state.events("member_joined").at(-1)).toMatchObject({
    member: "bob",
    spec: { name: "bob", kind: "embedded" },
    capabilities: { steer: true, images: true, tools: true },
  });
  expect(await state.command({ type: "add_member", spec: specOf("bob") })).toMatchObject({
    error: { code: "conflict" },
  });
  expect(await state.command({ type: "add_member", spec: specOf("all") })).toMatchObject({
    error: { code: "bad_command" },
  });
  for (let count = 2; count < MEMBERS_MAX; count += 1) {
    expect(await state.command({ type: "add_member", spec: specOf(`m${count}`) })).toMatchObject({ ok: true });
  }
  expect(await state.command({ type: "add_member", spec: specOf("one-more") })).toMatchObject({
    error: { code: "too_large" },
  });
  expect(await state.command({ type: "mute", member: "nobody" })).toMatchObject({ error: { code: "unknown_member" } });
});

test("a switched model applies from the next turn on; an agent that cannot switch is replaced", async () => {
  const state = await startSession({ ada: {}, bob: { capabilities: { switchModel: true } } });
  await state.send("one");
  for (const member of ["ada", "bob"]) await state.command({ type: "switch_model", member, model: "bigger" });
  await state.send("two");
  expect(state.events("model_switched")).toMatchObject([
    { member: "ada", model: "bigger" },
    { member: "bob", model: "bigger" },
  ]);
  expect(state.agents.of("ada").map((agent) => [agent.spec.model, agent.isClosed, agent.inputs.length])).toEqual([
    [undefined, true, 1],
    ["bigger", false, 1],
  ]);
  expect(state.agents.of("bob").map((agent) => [agent.inputs.map((input) => input.model)])).toEqual([
    [[undefined, "bigger"]],
  ]);
  const later = await state.reopen();
  await later.send("three");
  expect(later.agents.last("ada").spec.model).toBe("bigger");
});
