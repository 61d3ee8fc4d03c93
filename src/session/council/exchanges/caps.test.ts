import { expect, test } from "vitest";
import { answersTo, asks, exchangesOf, member, says, startsOf } from "../../../../test/session/exchanges-scripts.ts";
import { startSession } from "../../../../test/session/session-run.ts";
import { settle } from "../../../../test/session/fake-clock.ts";
import type { Behaviour, Step } from "../../../../test/session/scripted-agent.ts";
import {
  EXCHANGE_DEPTH_MAX,
  EXCHANGES_PER_MESSAGE_MAX,
  EXCHANGES_PER_PAIR_MAX,
  EXCHANGES_PER_TURN_MAX,
  LATE_ANSWERS_MAX,
  QUESTIONS_WAITING_MAX,
} from "../../limits.ts";

const refused = (words: string) => ({ result: null, error: expect.stringContaining(words) as string });
const errorsOf = (answers: readonly unknown[]) => answers.filter((one) => (one as { error: unknown }).error !== null);

test("[S164] questions between members are nested at most EXCHANGE_DEPTH_MAX deep", async () => {
  const chain = ["ada", "bob", "cyd", "dan", "eve"];
  const asksNext = (index: number): Behaviour => ({
    script: () => [...asks(chain[index + 1] ?? ""), says(`${chain[index]} done`)],
  });
  const state = await startSession(Object.fromEntries(chain.map((name, index) => [name, asksNext(index)])));
  await state.send("go", { to: ["ada"] });
  expect(state.events("turn_start").map((event) => [event.member, event.depth])).toEqual([
    ["ada", 0],
    ["bob", 1],
    ["cyd", 2],
    ["dan", EXCHANGE_DEPTH_MAX],
  ]);
  expect(answersTo(state, "dan")).toEqual([refused(`at most ${EXCHANGE_DEPTH_MAX} deep`)]);
});

const manyOf = (names: readonly string[], count: number, options: { prefix?: string; wait?: boolean } = {}): Step[] =>
  Array.from({ length: count }, (_, index) =>
    asks(names[index % names.length] ?? "", {
      callId: `${options.prefix ?? ""}${index}`,
      ...(options.wait === undefined ? {} : { wait: options.wait }),
    }),
  ).flat();

test("one turn asks EXCHANGES_PER_TURN_MAX times and no more", async () => {
  const others = ["bob", "cyd", "dan"];
  const state = await startSession({
    ada: member("ada", () => manyOf(others, EXCHANGES_PER_TURN_MAX + 2)),
    ...Object.fromEntries(others.map((name) => [name, member(name)])),
  });
  await state.send("go", { to: ["ada"] });
  expect(exchangesOf(state)).toHaveLength(EXCHANGES_PER_TURN_MAX);
  expect(errorsOf(answersTo(state, "ada"))).toEqual([
    refused(`asked ${EXCHANGES_PER_TURN_MAX} times in this turn`),
    refused(`asked ${EXCHANGES_PER_TURN_MAX} times in this turn`),
  ]);
});

test("[S166] because of one message members ask EXCHANGES_PER_MESSAGE_MAX times and no more", async () => {
  const names = ["ada", "bob", "cyd", "dan", "eve", "fay"];
  const others = (name: string) => names.filter((one) => one !== name);
  const behaviours = Object.fromEntries(
    names.map((name): [string, Behaviour] => [
      name,
      {
        script: ({ from, turnId }) => [
          ...(from === undefined ? manyOf(others(name), 7, { prefix: turnId, wait: false }) : []),
          says(name),
        ],
      },
    ]),
  );
  const state = await startSession(behaviours, {
    settings: { auto_rounds: 1, limits: { turns: 500, minutes: 30, tokens: 9e6, usd: 9 } },
  });
  await state.send("go");
  await settle(2_000);
  const ofMessage = exchangesOf(state);
  expect(ofMessage).toHaveLength(EXCHANGES_PER_MESSAGE_MAX);
  const refusals = names.flatMap((name) => errorsOf(answersTo(state, name)));
  expect(refusals).toContainEqual(refused(`${EXCHANGES_PER_MESSAGE_MAX} times about this message`));
});

test("[S167] the same two ask each other EXCHANGES_PER_PAIR_MAX times, either way, until the user writes again", async () => {
  const pingPong: (other: string) => Behaviour = (other) => ({
    script: ({ turnId }) => [...asks(other, { wait: false, callId: turnId }), says("your move, what next")],
  });
  const state = await startSession({ ada: pingPong("bob"), bob: pingPong("ada") });
  await state.send("go", { to: ["ada"] });
  await settle(2_000);
  expect(exchangesOf(state)).toHaveLength(EXCHANGES_PER_PAIR_MAX);
  expect(state.session.isIdle).toBe(true);
  expect(errorsOf([...answersTo(state, "ada"), ...answersTo(state, "bob")])).toContainEqual(
    refused(`asked each other ${EXCHANGES_PER_PAIR_MAX} times since the user last wrote`),
  );
  const again = await state.reopen();
  await again.send("go on", { to: ["ada"] });
  await settle(2_000);
  expect(exchangesOf(again)).toHaveLength(2 * EXCHANGES_PER_PAIR_MAX);
});

test("at most QUESTIONS_WAITING_MAX questions wait for a busy member", async () => {
  const askers = Array.from({ length: QUESTIONS_WAITING_MAX + 1 }, (_, index) => `a${index}`);
  const state = await startSession({
    ...Object.fromEntries(askers.map((name) => [name, member(name, () => asks("bob"))])),
    bob: { script: ({ from }) => (from === undefined ? [{ wait: 1_000 }] : [says("b")]) },
  });
  await state.send("work", { to: ["bob"] });
  for (const name of askers) await state.send("go", { to: [name] });
  const last = askers.at(-1) ?? "";
  expect(answersTo(state, last)).toEqual([refused(`${QUESTIONS_WAITING_MAX} questions already wait for bob`)]);
  await state.clock.advance(1_000);
  expect(exchangesOf(state).map((one) => one.ok)).toEqual(askers.slice(0, -1).map(() => true));
});

test("[S169] a reached limit of the discussion holds back questions and answers that would wake somebody", async () => {
  const state = await startSession(
    {
      ada: {
        script: ({ from }) => (from === undefined ? [...asks("bob"), ...asks("cyd"), says("a")] : [says("woken")]),
      },
      bob: member("bob"),
      cyd: member("cyd"),
    },
    { settings: { auto_rounds: 1, limits: { turns: 4, minutes: 30, tokens: 2_000_000, usd: 5 } } },
  );
  await state.send("go");
  await settle(500);
  expect(state.events("turn_start")).toHaveLength(4);
  expect(startsOf(state, "bob").map((event) => event.cause)).toEqual(["user", "exchange"]);
  expect(answersTo(state, "ada")).toEqual([
    { result: { from: "bob", answer: "bob answers" }, error: null },
    refused("The limit of 4 turns for this message is reached"),
  ]);
});

test("of late answers that start no turn the newest LATE_ANSWERS_MAX are stored, and the loss is reported", async () => {
  const others = Array.from({ length: EXCHANGES_PER_TURN_MAX }, (_, index) => `b${index}`);
  const state = await startSession({
    ada: member("ada", ({ turnId }) => manyOf(others, others.length, { prefix: turnId, wait: false })),
    ...Object.fromEntries(others.map((name) => [name, { script: () => [{ wait: 1_000 }, says("Thanks!")] }])),
  });
  for (const text of ["one", "two"]) await state.send(text, { to: ["ada"] });
  await state.clock.advance(5_000);
  const asked = 2 * others.length;
  expect(exchangesOf(state).filter((one) => one.ok)).toHaveLength(asked);
  const warnings = state.events("warning").filter((event) => event.code === "late_answer_dropped");
  expect(warnings).toHaveLength(asked - LATE_ANSWERS_MAX);
  await state.send("three", { to: ["ada"] });
  const missed = state.agents.last("ada").inputs.at(-1)?.missed ?? [];
  expect(missed.filter((one) => one.text === "Thanks!")).toHaveLength(LATE_ANSWERS_MAX);
});
