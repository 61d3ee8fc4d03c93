import { expect, test } from "vitest";
import { empty, fold } from "../../transcript/index.ts";
import { settle } from "../../../test/session/fake-clock.ts";
import { startSession, type SessionRun } from "../../../test/session/session-run.ts";
import type { Behaviour } from "../../../test/session/scripted-agent.ts";

const talking: Behaviour = {
  script: () => Array.from({ length: 50 }, () => [{ type: "text_delta", text: "word " } as const, { wait: 50 }]).flat(),
};

function expectSamePicture(state: SessionRun): void {
  const replayed = fold(empty(state.log.sessionId), structuredClone(state.all()));
  expect(state.session.transcript.head).toEqual(replayed.head);
  expect(state.session.transcript.live).toEqual(replayed.live);
}

test("[S38] while the store cannot be written new messages are refused, and an interrupt still stops", async () => {
  const state = await startSession({ ada: talking });
  await state.send("go");
  state.log.fail({ state: "full", room: 1_000 });
  expect(await state.send("more")).toMatchObject({
    error: { code: "store_unavailable", message: "The session cannot be written now (full): no space left" },
  });
  expect(await state.command({ type: "rename", title: "x" })).toMatchObject({ error: { code: "store_unavailable" } });
  const acked = state.command({ type: "interrupt", scope: "all" });
  expect(state.events("turn_end")).toMatchObject([{ outcome: "interrupted" }]);
  state.log.recover();
  expect(await acked).toMatchObject({ ok: true, result: { stopped: 1 } });
  expect(await state.send("again")).toMatchObject({ ok: true });
});

test("[S38] agents are stopped when their output can no longer be stored", async () => {
  const state = await startSession({ ada: talking, bob: { script: () => [{ hang: true }] } });
  await state.send("go");
  state.log.fail({ state: "read-only", room: 3 });
  await state.clock.advance(1_000);
  expect(state.events("turn_end").map((event) => [event.member, event.outcome, event.reason])).toEqual([
    ["ada", "interrupted", "store_unavailable"],
    ["bob", "interrupted", "store_unavailable"],
  ]);
  expect(state.agents.last("ada").interrupts).toBe(1);
  state.log.recover();
  await settle();
  expectSamePicture(state);
});

test("[S38] events the log writes itself are folded in order with those the session appends", async () => {
  const state = await startSession({ ada: talking });
  await state.send("go");
  state.log.fail({ state: "full", room: 1_000 });
  await state.clock.advance(100);
  state.log.recover();
  // The session continues before it has received the log's own event.
  await state.clock.advance(10_000);
  expect(state.events("read_only").length).toBe(1);
  expect(state.events("turn_end")).toMatchObject([{ outcome: "completed" }]);
  expectSamePicture(state);

  state.log.fail({ state: "full", room: 1_000 });
  state.log.recover();
  const acked = state.command({ type: "rename", title: "new" });
  await acked;
  await settle();
  expectSamePicture(state);
  state.log.fail({ state: "full", room: 1_000 });
  state.log.recover();
  await settle();
  expect(state.session.transcript.head.seq).toBe(state.all().length);
  expectSamePicture(state);
});

test("a session whose store fails is closed without waiting for the store", async () => {
  const state = await startSession({ ada: talking });
  await state.send("go");
  state.log.fail({ state: "full", room: 1_000 });
  await state.clock.advance(100);
  await state.session.close();
  expect(state.events("turn_end")).toMatchObject([{ outcome: "interrupted", reason: "closed" }]);
});

test("a store that starts failing while its session closes does not delay closing", async () => {
  const state = await startSession({ ada: talking });
  await state.send("go");
  state.log.holdCommits();
  const closed = state.session.close();
  await settle();
  state.log.fail({ state: "full", room: 1_000 });
  await closed;
  expect(state.events("turn_end")).toMatchObject([{ outcome: "interrupted", reason: "closed" }]);
});
