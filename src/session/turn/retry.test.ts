import { expect, test } from "vitest";
import { startSession } from "../../../test/session/session-run.ts";
import type { Behaviour } from "../../../test/session/scripted-agent.ts";

/** Fails its first turn, completes the next. */
const failingOnce: Behaviour = { script: (_, turn) => (turn === 1 ? [{ end: "errored", reason: "no network" }] : []) };

test("[S32] retry asks again where a turn that answers the latest message failed: same messages, round and root", async () => {
  const state = await startSession({ ada: failingOnce, bob: {}, cyd: failingOnce });
  await state.send("go");
  const first = state.events("turn_start");
  const ack = await state.command({ type: "retry" });
  await state.clock.advance(0);
  expect(ack).toMatchObject({ ok: true, result: { turnIds: [first[0]!.turnId, first[2]!.turnId] } });
  const { messageIds, rootMessageId, round, given } = first[0]!;
  const again = { cause: "retry", messageIds, rootMessageId, round, given };
  expect(state.events("turn_start").slice(3)).toMatchObject([
    { member: "ada", ...again, replaces: first[0]!.turnId },
    { member: "cyd", ...again, replaces: first[2]!.turnId },
  ]);
  expect(state.agents.last("ada").inputs.map((input) => input.text)).toEqual(["go", "go"]);
  const { messages } = state.session.transcript.live[0]!;
  const turns = messages.filter((message) => message.kind === "turn");
  expect(turns.map((turn) => [turn.member, turn.end?.outcome, turn.replaced.length])).toEqual([
    ["ada", "completed", 1],
    ["bob", "completed", 0],
    ["cyd", "completed", 1],
  ]);
  expect(await state.command({ type: "retry" })).toMatchObject({ error: { code: "unknown_turn" } });
});

test("[S32] retry can name a member or a turn; a replaced turn, a muted member and a running retry are refused", async () => {
  const state = await startSession({ ada: failingOnce, bob: failingOnce, cyd: { script: () => [{ hang: true }] } });
  await state.send("@cyd busy");
  await state.send("go");
  const turns = state.events("turn_start");
  expect(await state.command({ type: "retry", member: "bob" })).toMatchObject({
    result: { turnIds: [turns[2]!.turnId] },
  });
  await state.command({ type: "mute", member: "ada" });
  expect(await state.command({ type: "retry", turnId: turns[1]!.turnId })).toMatchObject({
    error: { code: "nobody_to_ask", message: "ada is muted or has left; nobody can be asked again." },
  });
  await state.command({ type: "unmute", member: "ada" });
  await state.send("@cyd later");
  expect(await state.command({ type: "retry", turnId: turns[2]!.turnId })).toMatchObject({
    error: { code: "unknown_turn" },
  });
});

test("[S32] by name a member is asked again also after a good answer; both answers stay, the newer one first", async () => {
  const script: Behaviour["script"] = (_, turn) => [{ type: "text_delta", text: `answer ${turn}` }];
  const state = await startSession({ ada: { script }, bob: {} });
  await state.send("go");
  expect(await state.command({ type: "retry" })).toMatchObject({ error: { code: "unknown_turn" } });
  expect(await state.command({ type: "retry", member: "ada" })).toMatchObject({ ok: true });
  await state.clock.advance(0);
  expect(await state.command({ type: "retry", member: "ada" })).toMatchObject({ ok: true });
  await state.clock.advance(0);
  const turns = state.session.transcript.live[0]!.messages.filter((message) => message.kind === "turn");
  const textsOf = (turn: (typeof turns)[number]) =>
    turn.blocks.map((block) => (block.kind === "text" ? block.text : ""));
  const answers = (turn: (typeof turns)[number]) => [turn, ...(turn.earlier ?? [])].flatMap(textsOf);
  expect(turns.map((turn) => [turn.member, answers(turn)])).toEqual([
    ["ada", ["answer 3", "answer 2", "answer 1"]],
    ["bob", ["You said: go"]],
  ]);
});

test("[S32] a turn cut by an interrupt or a restart can be retried too", async () => {
  const hanging: Behaviour = {
    script: (_, turn) => (turn === 1 ? [{ type: "text_delta", text: "pa" }, { hang: true }] : []),
  };
  const state = await startSession({ ada: hanging });
  await state.send("go");
  await state.command({ type: "interrupt", scope: "all" });
  expect(await state.command({ type: "retry" })).toMatchObject({ ok: true });
  await state.clock.advance(0);
  expect(state.events("turn_end").map((event) => event.outcome)).toEqual(["interrupted", "completed"]);

  const cut = await startSession({ ada: hanging });
  await cut.send("go");
  const reopened = await cut.reopen({ behaviours: { ada: {} } });
  expect(reopened.events("turn_end")).toMatchObject([{ outcome: "interrupted", reason: "restart" }]);
  expect(await reopened.command({ type: "retry" })).toMatchObject({ ok: true });
  await reopened.clock.advance(0);
  expect(reopened.events("turn_end").map((event) => event.outcome)).toEqual(["interrupted", "completed"]);
});

test("retrying a member that is not in the session is refused with the list of members", async () => {
  const state = await startSession({ ada: failingOnce });
  await state.send("go");
  expect(await state.command({ type: "retry", member: "zed" })).toMatchObject({
    error: { code: "unknown_member", hint: expect.stringContaining("Members: ada.") as string },
  });
});
