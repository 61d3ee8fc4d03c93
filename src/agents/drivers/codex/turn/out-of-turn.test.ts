import { expect, test } from "vitest";
import { running } from "../../../../../test/agents/codex/talk.ts";

test("a thread that Codex closes in the middle of a turn ends the turn, and the next one resumes it", () => {
  const talk = running()
    .tell("turn/started", { turn: { id: "n" } })
    .tell("thread/closed", {});
  expect(talk.ends()).toMatchObject([{ outcome: "errored", error: { code: "refused" } }]);
  talk.tell("turn/completed", { turn: { id: "n", status: "completed" } }).send("next", "turn-2");
  expect({ ends: talk.ends().length, said: talk.methods() }).toEqual({ ends: 1, said: ["thread/resume"] });
  const stopped = running()
    .tell("turn/started", { turn: { id: "n" } })
    .interrupt();
  stopped.tell("turn/completed", { turn: { id: "n", status: "interrupted" } }).tell("thread/closed", {});
  expect(stopped.ends()).toEqual([{ type: "turn_over", outcome: "interrupted", reason: "interrupted" }]);
});

test("a request of a turn that is over is refused and asks nobody in the next one", () => {
  const talk = running().tell("turn/completed", { turn: { id: "n", status: "completed" } });
  talk.send("next", "turn-2").hear({ id: "a.3", result: { turn: { id: "m" } } });
  talk.events.length = 0;
  const params = { threadId: "t", turnId: "n", itemId: "c", command: "rm -rf x" };
  talk.hear({ id: 7, method: "item/commandExecution/requestApproval", params });
  expect(talk.events).toEqual([]);
  expect(talk.said.at(-1)).toMatchObject({ id: 7, result: { decision: "decline" } });
  talk.hear({ id: 8, method: "item/commandExecution/requestApproval", params: { ...params, turnId: "m" } });
  expect(talk.events.map(({ type }) => type)).toEqual(["request"]);
});
