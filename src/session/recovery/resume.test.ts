/** A session that is closed, reopened and continued. */
import { expect, test } from "vitest";
import type { AgentEvent } from "../../agents/index.ts";
import { eventLine } from "../../transcript/index.ts";
import { startSession, type SessionRun } from "../../../test/session/session-run.ts";
import type { Behaviour } from "../../../test/session/scripted-agent.ts";

/** An agent with a native session that reports the cost of turns. */
const keeper = (nativeSessionId: string, more: readonly AgentEvent[] = []): Behaviour => ({
  script: ({ text }) => [
    { type: "member_session", nativeSessionId },
    ...more,
    { type: "text_delta", text: `you said ${text}` },
    { type: "usage", usage: { inputTokens: 10, outputTokens: 3, costUsd: 0.5 } },
  ],
});

const resumes = (state: SessionRun) =>
  state.events("session_resume").map(({ seq, afterSeq, afterTs }) => ({ seq, afterSeq, afterTs }));

test("[S240] the first message after a reopening follows one session_resume that names the end of the log", async () => {
  const state = await startSession({ ada: {} });
  await state.send("one");
  const { seq, updatedTs } = state.session.transcript.head;
  await state.session.close();
  const later = await state.reopen();
  expect(later.typesAfter(seq)).toEqual([]);
  await later.send("two");
  await later.send("three");
  const resumed = { seq: seq + 1, afterSeq: seq, afterTs: updatedTs };
  expect(resumes(later)).toEqual([resumed]);
  expect(later.typesAfter(seq).slice(0, 2)).toEqual(["session_resume", "user_message"]);
  const end = later.session.transcript.head.seq;
  const third = await later.reopen();
  await third.send("four");
  expect(resumes(third)).toMatchObject([resumed, { seq: end + 1, afterSeq: end }]);
});

test("[S240] nothing is resumed by reading, renaming, muting or a message that was refused or sent before", async () => {
  const state = await startSession({ ada: {}, bob: {} });
  await state.send("one", { clientMessageId: "first" });
  const later = await state.reopen();
  await later.send("one", { clientMessageId: "first" });
  await later.command({ type: "rename", title: "Another" });
  await later.command({ type: "mute", member: "bob" });
  expect(await later.send("@nobody hello")).toMatchObject({ ok: false });
  expect(await later.send("hello", { to: ["bob"] })).toMatchObject({ ok: false });
  expect(resumes(later)).toEqual([]);
});

test("[S240] an empty session is started, not resumed, when it is opened again", async () => {
  const state = await startSession({ ada: {} });
  const later = await state.reopen();
  await later.send("one");
  expect(resumes(later)).toEqual([]);
});

test("[S240] a turn that is retried resumes a session like a message does", async () => {
  const state = await startSession({ ada: { script: () => [{ end: "errored" }] } });
  await state.send("one");
  const { seq } = state.session.transcript.head;
  const later = await state.reopen({ behaviours: { ada: {} } });
  expect(await later.command({ type: "retry" })).toMatchObject({ ok: true });
  expect(resumes(later)).toMatchObject([{ seq: seq + 1, afterSeq: seq }]);
  expect(later.typesAfter(seq).slice(0, 2)).toEqual(["session_resume", "turn_start"]);
});

test("[S241] after a restart a member resumes its own session and gets only what it has missed", async () => {
  const state = await startSession({ ada: keeper("native-1"), bob: {} });
  await state.send("@ada one");
  await state.send("@bob two");
  const later = await state.reopen();
  await later.send("@ada three");
  const ada = later.agents.last("ada");
  expect(ada.setup.nativeSessionId).toBe("native-1");
  expect(later.agents.of("bob").map((bob) => bob.setup.nativeSessionId)).not.toContain("native-1");
  expect(ada.inputs).toMatchObject([{ text: "three" }]);
  expect(ada.inputs[0]?.missed).toEqual([
    { speaker: { kind: "user" }, text: "two" },
    { speaker: { kind: "member", name: "bob" }, text: "You said: two" },
  ]);
});

test("a turn for a resuming agent carries the history for the case that its session is lost", async () => {
  const state = await startSession({ ada: keeper("native-1"), bob: {} });
  await state.send("@ada one");
  await state.send("@bob two");
  const later = await state.reopen();
  await later.send("@ada three");
  const coldStart = later.agents.last("ada").inputs[0]?.coldStart?.();
  expect(coldStart?.systemPrompt).toContain("You sit at a table.");
  expect(coldStart?.missed).toEqual([
    { speaker: { kind: "user" }, text: "one" },
    { speaker: { kind: "member", name: "ada" }, text: "you said one" },
    { speaker: { kind: "user" }, text: "two" },
    { speaker: { kind: "member", name: "bob" }, text: "You said: two" },
  ]);
});

test("turns, tokens, cost, times and members are the same after reopening", async () => {
  const state = await startSession({ ada: keeper("native-1"), bob: keeper("native-2") });
  await state.send("one");
  await state.clock.advance(5_000);
  await state.send("@ada two");
  const before = state.session.transcript.head;
  const later = await state.reopen();
  expect(later.session.transcript.head).toStrictEqual(before);
  expect(before.totals).toMatchObject({ turns: 3, inputTokens: 30, outputTokens: 9, costUsd: 1.5 });
  await later.send("@bob three");
  const { totals, createdTs, turnCount, userCount } = later.session.transcript.head;
  expect({ totals, createdTs, turnCount, userCount }).toMatchObject({
    totals: { turns: 4, inputTokens: 40, outputTokens: 12, costUsd: 2 },
    createdTs: before.createdTs,
    turnCount: before.turnCount + 1,
    userCount: before.userCount + 1,
  });
});

test("[S244] a turn cut by a crash is not repeated: the session continues with the next message, which mentions it", async () => {
  const state = await startSession({
    ada: { script: ({ text }, turn) => (turn === 1 ? [] : [{ type: "text_delta", text }, { hang: true }]) },
  });
  await state.send("one");
  await state.send("two");
  const later = await state.reopen({ behaviours: { ada: {} } });
  expect(later.events("turn_end").map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ["completed", undefined],
    ["interrupted", "restart"],
  ]);
  expect(later.agents.of("ada").flatMap((ada) => ada.inputs)).toEqual([]);
  await later.send("three");
  const [input] = later.agents.last("ada").inputs;
  expect(input).toMatchObject({ text: "three" });
  expect(input?.missed?.map(({ text }) => text)).toEqual(["one", "two", "two"]);
  expect(later.events("turn_start")).toHaveLength(3);
});

test("the first 200 models an agent reports are stored for its member, and written again only when they change", async () => {
  const offer = (...ids: string[]): AgentEvent => ({ type: "member_models", models: ids.map((id) => ({ id })) });
  const many = Array.from({ length: 300 }, (_, at) => `model-${at}`);
  const state = await startSession({
    ada: { script: (_input, turn) => [turn < 3 ? offer("large", "small") : offer(...many)] },
  });
  const models = (one: SessionRun) => one.session.transcript.head.members["ada"]?.models;
  await state.send("one");
  await state.send("two");
  expect(state.events("member_models")).toHaveLength(1);
  expect(models(state)).toEqual([{ id: "large" }, { id: "small" }]);
  await state.send("three");
  expect(models(state)).toEqual(many.slice(0, 200).map((id) => ({ id })));
  expect(models(await state.reopen())).toEqual(models(state));
});

test("a resumed session reports the time since its last event, in its largest unit", () => {
  const ts = 10_000_000_000;
  const resumed = { type: "session_resume", seq: 9, epoch: 2, id: "e", ts, sessionId: "s", afterSeq: 8 } as const;
  const line = (afterMs: number) => eventLine({ ...resumed, afterTs: ts - afterMs });
  expect(eventLine(resumed)).toBe("the session was resumed");
  expect([0, 1_500, 61_000, 7_200_000, 86_400_000].map(line)).toEqual([
    "the session was resumed after 1 second",
    "the session was resumed after 1 second",
    "the session was resumed after 1 minute",
    "the session was resumed after 2 hours",
    "the session was resumed after 1 day",
  ]);
});
