import { expect, test } from "vitest";
import { running, standing, type Conversation } from "../../../../../test/agents/codex/conversation.ts";

const say = (talk: Conversation, itemId: string, delta: string): Conversation =>
  talk.notify("item/agentMessage/delta", { itemId, delta });
const plan = (talk: Conversation, itemId: string, delta: string): Conversation =>
  talk.notify("item/plan/delta", { itemId, delta });
const think = (talk: Conversation, itemId: string, delta: string): Conversation =>
  talk.notify("item/reasoning/summaryTextDelta", { itemId, summaryIndex: 0, delta });
const complete = (talk: Conversation, item: object): Conversation => talk.notify("item/completed", { item });
const breaks = (talk: Conversation, attempt = 1): Conversation =>
  talk.notify("error", {
    willRetry: true,
    error: { message: `Reconnecting... ${attempt}/2`, additionalDetails: "lost" },
  });
const ends = (talk: Conversation, status: string): Conversation =>
  talk.notify("turn/completed", { turn: { id: "n", status } });
const command = { type: "commandExecution", id: "c", command: "ls" };

test("a plan inside a message duplicates neither, in whatever order they complete", () => {
  const streamed = (): Conversation => {
    const talk = say(running(), "m", "Here is ");
    plan(talk, "p", "1. look\n");
    say(talk, "m", "my plan");
    return plan(talk, "p", "2. act");
  };
  const message = { type: "agentMessage", id: "m", text: "Here is my plan." };
  const whole = { type: "plan", id: "p", text: "1. look\n2. act" };
  const texts = ["Here is ", "1. look\n", "my plan", "2. act", "."];
  expect(standing(complete(complete(streamed(), whole), message))).toEqual(texts);
  expect(standing(complete(complete(streamed(), message), whole)).join("")).toBe(texts.join(""));
});

test("a plan that was not streamed leaves the message before it as it was", () => {
  const talk = complete(say(running(), "m", "Here it is: "), { type: "plan", id: "p", text: "1. look" });
  complete(talk, { type: "agentMessage", id: "m", text: "Here it is: " });
  complete(talk, { type: "plan", id: "p", text: "1. look" });
  expect(standing(talk)).toEqual(["Here it is: ", "1. look"]);
});

test("thoughts streamed in parallel are not mixed, and one without a summary is shown", () => {
  const talk = think(think(running(), "r", "first"), "s", "second");
  complete(talk, { type: "reasoning", id: "r", summary: ["first"], content: [] });
  complete(talk, { type: "reasoning", id: "u", summary: ["third"], content: [] });
  complete(talk, { type: "reasoning", id: "s", summary: ["second"], content: [] });
  complete(talk, { type: "reasoning", id: "v", summary: [], content: ["raw"] });
  expect(standing(talk)).toEqual(["(first)", "(second)", "(third)", "(raw)"]);
});

test("two messages with equal text are two, streamed or not; one completed twice is one", () => {
  const talk = complete(say(running(), "1", "Done."), { type: "agentMessage", id: "1", text: "Done." });
  for (const id of ["2", "3", "3"]) complete(talk, { type: "agentMessage", id, text: "Done." });
  expect(standing(talk)).toEqual(["Done.", "Done.", "Done."]);
});

test("a failed turn keeps its partial answer once, also when nothing was streamed after the stream broke", () => {
  const broken = breaks(say(running(), "a", "half an ans"));
  think(breaks(broken, 2), "r", "again");
  talkFails(broken);
  expect(standing(broken)).toEqual(["half an ans", "(again)"]);
  const repeated = say(breaks(say(running(), "a", "half an ans")), "b", "half an answ");
  talkFails(repeated);
  expect(standing(repeated)).toEqual(["half an answ"]);
  const stopped = breaks(say(running(), "a", "half an ans")).interrupt();
  expect(standing(ends(stopped, "interrupted"))).toEqual(["half an ans"]);
});

function talkFails(talk: Conversation): void {
  talk.notify("error", { willRetry: false, error: { message: "gone" } });
  ends(talk, "failed");
}

test("a broken-off text is retracted when a text, tool call, steer or the end replaces it", () => {
  const broken = (): Conversation => {
    const talk = complete(say(running(), "a", "Stays."), { type: "agentMessage", id: "a", text: "Stays." });
    return breaks(say(talk, "b", "half"));
  };
  const whole = { type: "agentMessage", id: "c", text: "Whole." };
  expect(standing(complete(broken(), whole))).toEqual(["Stays.", "Whole."]);
  expect(standing(broken().notify("item/started", { item: command }))).toEqual(["Stays."]);
  expect(standing(complete(broken(), { ...command, status: "completed" }))).toEqual(["Stays."]);
  expect(standing(broken().notify("item/started", { item: { type: "userMessage", id: "u" } }))).toEqual(["Stays."]);
  expect(standing(ends(broken(), "completed"))).toEqual(["Stays."]);
});

test("a stream that breaks before any text retracts nothing", () => {
  const talk = complete(say(running(), "a", "Stays."), { type: "agentMessage", id: "a", text: "Stays." });
  breaks(say(talk, "b", ""));
  say(talk, "c", "More.");
  expect(standing(talk)).toEqual(["Stays.", "More."]);
});
