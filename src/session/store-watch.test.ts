import { expect, test } from "vitest";
import { empty, fold } from "../transcript/index.ts";
import { settle } from "../../test/session/fake-clock.ts";
import { seat, type Seated } from "../../test/session/seated-session.ts";
import type { Behaviour } from "../../test/session/scripted-agent.ts";

const talking: Behaviour = {
  script: () => Array.from({ length: 50 }, () => [{ type: "text_delta", text: "word " } as const, { wait: 50 }]).flat(),
};

function expectSamePicture(table: Seated): void {
  const replayed = fold(empty(table.log.sessionId), structuredClone(table.all()));
  expect(table.session.transcript.head).toEqual(replayed.head);
  expect(table.session.transcript.live).toEqual(replayed.live);
}

test("[S38] while the store cannot be written new messages are refused, and an interrupt still stops", async () => {
  const table = await seat({ ada: talking });
  await table.say("go");
  table.log.fail({ state: "full", room: 1_000 });
  expect(await table.say("more")).toMatchObject({
    error: { code: "store_unavailable", message: "The session cannot be written now (full): no space left" },
  });
  expect(await table.command({ type: "rename", title: "x" })).toMatchObject({ error: { code: "store_unavailable" } });
  const acked = table.command({ type: "interrupt", scope: "all" });
  expect(table.events("turn_end")).toMatchObject([{ outcome: "interrupted" }]);
  table.log.recover();
  expect(await acked).toMatchObject({ ok: true, result: { stopped: 1 } });
  expect(await table.say("again")).toMatchObject({ ok: true });
});

test("[S38] agents are stopped when their words begin to be lost", async () => {
  const table = await seat({ ada: talking, bob: { script: () => [{ hang: true }] } });
  await table.say("go");
  table.log.fail({ state: "read-only", room: 3 });
  await table.clock.advance(1_000);
  expect(table.events("turn_end").map((event) => [event.member, event.outcome, event.reason])).toEqual([
    ["ada", "interrupted", "store_unavailable"],
    ["bob", "interrupted", "store_unavailable"],
  ]);
  expect(table.agents.last("ada").interrupts).toBe(1);
  table.log.recover();
  await settle();
  expectSamePicture(table);
});

test("[S38] what the log writes by itself is folded in its place, before and behind what the session appends", async () => {
  const table = await seat({ ada: talking });
  await table.say("go");
  table.log.fail({ state: "full", room: 1_000 });
  await table.clock.advance(100);
  table.log.recover();
  // The session goes on at once, before it can have heard of the log's own event.
  await table.clock.advance(10_000);
  expect(table.events("read_only").length).toBe(1);
  expect(table.events("turn_end")).toMatchObject([{ outcome: "completed" }]);
  expectSamePicture(table);

  table.log.fail({ state: "full", room: 1_000 });
  table.log.recover();
  const acked = table.command({ type: "rename", title: "new" });
  await acked;
  await settle();
  expectSamePicture(table);
  table.log.fail({ state: "full", room: 1_000 });
  table.log.recover();
  await settle();
  expect(table.session.transcript.head.seq).toBe(table.all().length);
  expectSamePicture(table);
});

test("[S290] a session whose store fails is closed without waiting for the store", async () => {
  const table = await seat({ ada: talking });
  await table.say("go");
  table.log.fail({ state: "full", room: 1_000 });
  await table.clock.advance(100);
  await table.session.close();
  expect(table.events("turn_end")).toMatchObject([{ outcome: "interrupted", reason: "closed" }]);
});

test("[H235] a store that begins to fail while its session is closed does not hold the closing up", async () => {
  const table = await seat({ ada: talking });
  await table.say("go");
  table.log.holdCommits();
  const closed = table.session.close();
  await settle();
  table.log.fail({ state: "full", room: 1_000 });
  await closed;
  expect(table.events("turn_end")).toMatchObject([{ outcome: "interrupted", reason: "closed" }]);
});
