import { expect, test } from "vitest";
import { running } from "../../../../../test/agents/codex/conversation.ts";

test("a thread that Codex closes in mid-turn ends the turn, and the next turn resumes it", () => {
  const talk = running()
    .notify("turn/started", { turn: { id: "n" } })
    .notify("thread/closed", {});
  expect(talk.ends()).toMatchObject([{ outcome: "errored", error: { code: "refused" } }]);
  talk.notify("turn/completed", { turn: { id: "n", status: "completed" } }).send("next", "turn-2");
  expect({ ends: talk.ends().length, said: talk.methods() }).toEqual({ ends: 1, said: ["thread/resume"] });
  const stopped = running()
    .notify("turn/started", { turn: { id: "n" } })
    .interrupt();
  stopped.notify("turn/completed", { turn: { id: "n", status: "interrupted" } }).notify("thread/closed", {});
  expect(stopped.ends()).toEqual([{ type: "turn_over", outcome: "interrupted", reason: "interrupted" }]);
});

test("a request of an ended turn is denied and does not reach the next turn", () => {
  const talk = running().notify("turn/completed", { turn: { id: "n", status: "completed" } });
  talk.send("next", "turn-2").receive({ id: "a.3", result: { turn: { id: "m" } } });
  talk.events.length = 0;
  const params = { threadId: "t", turnId: "n", itemId: "c", command: "rm -rf x" };
  talk.receive({ id: 7, method: "item/commandExecution/requestApproval", params });
  expect(talk.events).toEqual([]);
  expect(talk.sent.at(-1)).toMatchObject({ id: 7, result: { decision: "decline" } });
  talk.receive({ id: 8, method: "item/commandExecution/requestApproval", params: { ...params, turnId: "m" } });
  expect(talk.events.map(({ type }) => type)).toEqual(["request"]);
});
