import { expect, test } from "vitest";
import { running, standing, Conversation } from "../../../../../test/agents/codex/conversation.ts";

const REFUSAL = { code: -32_600, message: "no active turn to interrupt" };
const STOPPED = [{ type: "turn_over", outcome: "interrupted", reason: "interrupted" }];

/** Calls without an answer. */
function sent(): Conversation {
  const talk = new Conversation().send().receive({ id: "a.1", result: { thread: { id: "t" } } });
  talk.events.length = 0;
  talk.sent.length = 0;
  return talk;
}

const starts = (talk: Conversation, id = "n"): Conversation => talk.notify("turn/started", { turn: { id } });
const stops = (talk: Conversation): Conversation =>
  talk.notify("turn/completed", { turn: { id: "n", status: "interrupted" } });

test("an interrupt rejected because the turn has not started is sent again when it starts", () => {
  const talk = running().interrupt().receive({ id: "a.3", error: REFUSAL });
  expect({ said: talk.methods(), ends: talk.ends() }).toEqual({ said: ["turn/interrupt"], ends: [] });
  starts(talk);
  expect(talk.sent.map(({ id, method }) => [id, method])).toEqual([
    ["a.3", "turn/interrupt"],
    ["a.4", "turn/interrupt"],
  ]);
  stops(talk.receive({ id: "a.4", result: {} })).receive({ id: "a.5", result: {} });
  expect(talk.methods().at(-1)).toBe("thread/backgroundTerminals/clean");
  expect(talk.ends()).toEqual(STOPPED);
});

test("a late rejection of an earlier interrupt does not end the started turn", () => {
  const talk = starts(running().interrupt());
  expect(talk.methods()).toEqual(["turn/interrupt"]);
  talk.receive({ id: "a.3", error: REFUSAL });
  expect({ said: talk.methods(), ends: talk.ends() }).toEqual({ said: ["turn/interrupt", "turn/interrupt"], ends: [] });
  stops(talk).receive({ id: "a.5", result: {} });
  expect(talk.ends()).toEqual(STOPPED);
  const over = starts(running().interrupt())
    .receive({ id: "a.3", error: REFUSAL })
    .receive({ id: "a.4", error: REFUSAL });
  expect(over.receive({ id: "a.5", result: {} }).ends()).toEqual([{ type: "turn_over", outcome: "completed" }]);
});

test("a turn that starts before its response arrives is recognised by its start, and nothing is lost", () => {
  const talk = starts(sent().steer("m"));
  talk.notify("item/agentMessage/delta", { itemId: "i", delta: "first words" });
  talk.notify("item/completed", { item: { type: "agentMessage", id: "i", text: "first words" } });
  talk.receive({ id: "a.2", result: { turn: { id: "n" } } });
  talk.notify("turn/completed", { turn: { id: "n", status: "completed" } });
  expect({ texts: standing(talk), said: talk.methods() }).toEqual({ texts: ["first words"], said: ["turn/steer"] });
  expect(talk.ends()).toMatchObject([{ outcome: "completed" }]);
  const stopped = starts(sent().interrupt()).receive({ id: "a.2", result: { turn: { id: "n" } } });
  expect(stopped.methods()).toEqual(["turn/interrupt"]);
});

test("when another turn of the thread starts meanwhile, the response identifies ours", () => {
  const talk = starts(sent(), "other").receive({ id: "a.2", result: { turn: { id: "n" } } });
  talk.receive({ method: "turn/completed", params: { threadId: "t", turn: { id: "other", status: "completed" } } });
  expect(talk.ends()).toEqual([]);
  starts(talk).notify("turn/completed", { turn: { id: "n", status: "completed" } });
  expect(talk.ends()).toMatchObject([{ outcome: "completed" }]);
});
