import { expect, test } from "vitest";
import { seat, specOf } from "../../test/session/seated-session.ts";
import type { Behaviour } from "../../test/session/scripted-agent.ts";
import { MEMBERS_MAX } from "./limits.ts";

const hanging: Behaviour = { script: () => [{ type: "text_delta", text: "so far" }, { hang: true }] };
import { SCREEN_BACK_MS } from "./screen-mutes.ts";

test("[S33] a muted member is not asked, what waited for it is dropped, and its running turn goes on", async () => {
  const table = await seat({ ada: { script: () => [{ wait: 100 }] }, bob: {} });
  await table.say("one");
  await table.say("two");
  await table.command({ type: "mute", member: "ada" });
  await table.command({ type: "mute", member: "ada" });
  expect(table.events("member_muted").length).toBe(1);
  await table.say("three");
  await table.clock.advance(100);
  expect(table.agents.last("ada").inputs.map((input) => input.text)).toEqual(["one"]);
  expect(table.events("turn_end").filter((event) => event.member === "ada")).toMatchObject([{ outcome: "completed" }]);
  const dropped = table.events("message_delivery").filter((event) => event.state === "dropped");
  expect(dropped).toMatchObject([
    { member: "ada", messageId: table.events("user_message")[1]!.messageId, reason: "muted" },
  ]);
  await table.command({ type: "unmute", member: "ada" });
  await table.say("four");
  expect(table.agents.last("ada").inputs.map((input) => input.text)).toEqual(["one", "four"]);
});

test("[S33] a mute from a screen ends when the last screen has gone, unless one is back in a moment", async () => {
  const table = await seat({ ada: {}, bob: {} });
  const { session, clock } = table;
  const isMuted = () => session.transcript.head.members["ada"]?.muted;
  session.clientJoined("one");
  session.clientJoined("two");
  await table.command({ type: "mute", member: "ada" }, "one");
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

test("[S33] a mute by a command that follows nothing outlives the screens", async () => {
  const table = await seat({ ada: {}, bob: {} });
  await table.command({ type: "mute", member: "ada" }, "command");
  table.session.clientJoined("one");
  table.session.clientLeft("one");
  await table.clock.advance(SCREEN_BACK_MS);
  expect(table.session.transcript.head.members["ada"]?.muted).toBe(true);
});

test("[S33] mute ends when the session is opened again", async () => {
  const table = await seat({ ada: {}, bob: {} });
  await table.command({ type: "mute", member: "ada" });
  const later = await table.reopen();
  expect(later.events("member_unmuted")).toMatchObject([{ member: "ada", reason: "reopened" }]);
  expect(later.session.transcript.head.members["ada"]?.muted).toBe(false);
});

test("[S34] removing a member stops its turn first, keeps its words, and drops what waited; late words bring nobody back", async () => {
  const table = await seat({ ada: { ...hanging, interrupt: "deaf" }, bob: {} });
  await table.say("one");
  await table.say("two");
  const { seq } = table.session.transcript.head;
  await table.command({ type: "remove_member", member: "ada" });
  expect(table.typesAfter(seq)).toEqual([
    "text_done",
    "turn_end",
    "message_delivery",
    "message_delivery",
    "member_left",
  ]);
  expect(table.events("turn_end").at(-1)).toMatchObject({
    member: "ada",
    outcome: "interrupted",
    reason: "member_left",
  });
  expect(table.events("text_done").at(-1)).toMatchObject({ text: "so far", interrupted: true });
  table.agents.last("ada").emit({ type: "text_delta", text: "more" });
  table.agents.last("ada").emit({ type: "member_session", nativeSessionId: "x" });
  await table.clock.advance(10_000);
  expect(table.agents.last("ada").isClosed).toBe(true);
  expect(table.session.transcript.head.members["ada"]).toMatchObject({ joined: false });
  expect(await table.say("@ada hello")).toMatchObject({
    error: { code: "unknown_member", hint: "Did you mean @bob? Seated: bob." },
  });
  await table.say("all");
  expect(table.events("user_message").at(-1)?.to).toEqual(["bob"]);
  await table.command({ type: "add_member", spec: specOf("ada") });
  expect(table.session.transcript.head.members["ada"]).toMatchObject({ joined: true });
});

test("[S34] a member joins with what its agent can do; its name is free, is not `all`, and the table has a limit", async () => {
  const table = await seat({ ada: {} });
  table.agents.behaviours.set("bob", { capabilities: { steer: true, images: true } });
  expect(await table.command({ type: "add_member", spec: specOf("bob") })).toMatchObject({ ok: true });
  expect(table.events("member_joined").at(-1)).toMatchObject({
    member: "bob",
    spec: { name: "bob", kind: "embedded" },
    capabilities: { steer: true, images: true, tools: true },
  });
  expect(await table.command({ type: "add_member", spec: specOf("bob") })).toMatchObject({
    error: { code: "conflict" },
  });
  expect(await table.command({ type: "add_member", spec: specOf("all") })).toMatchObject({
    error: { code: "bad_command" },
  });
  for (let count = 2; count < MEMBERS_MAX; count += 1) {
    expect(await table.command({ type: "add_member", spec: specOf(`m${count}`) })).toMatchObject({ ok: true });
  }
  expect(await table.command({ type: "add_member", spec: specOf("one-more") })).toMatchObject({
    error: { code: "too_large" },
  });
  expect(await table.command({ type: "mute", member: "nobody" })).toMatchObject({ error: { code: "unknown_member" } });
});

test("[S35] another model is used from the next turn on; an agent that cannot switch is replaced", async () => {
  const table = await seat({ ada: {}, bob: { capabilities: { switchModel: true } } });
  await table.say("one");
  for (const member of ["ada", "bob"]) await table.command({ type: "switch_model", member, model: "bigger" });
  await table.say("two");
  expect(table.events("model_switched")).toMatchObject([
    { member: "ada", model: "bigger" },
    { member: "bob", model: "bigger" },
  ]);
  expect(table.agents.of("ada").map((agent) => [agent.spec.model, agent.isClosed, agent.inputs.length])).toEqual([
    [undefined, true, 1],
    ["bigger", false, 1],
  ]);
  expect(table.agents.of("bob").map((agent) => [agent.inputs.map((input) => input.model)])).toEqual([
    [[undefined, "bigger"]],
  ]);
  const later = await table.reopen();
  await later.say("three");
  expect(later.agents.last("ada").spec.model).toBe("bigger");
});
