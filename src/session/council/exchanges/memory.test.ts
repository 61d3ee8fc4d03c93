import { expect, test } from "vitest";
import { ended, said, started } from "../../../../test/generate/drafts.ts";
import { stamped } from "../../../../test/generate/stamped.ts";
import type { EventDraft } from "../../../protocol/index.ts";
import { ExchangeMemory, ExchangeMemoryJson } from "./memory.ts";

const asked = (id: string, turnId: string, member: string, to: string): EventDraft => ({
  type: "agent_message",
  turnId,
  agentExchangeId: id,
  member,
  to,
  text: "?",
  wait: true,
});
const log = stamped([
  said("m1", ["ada"]),
  started("t1", "ada", { rootMessageId: "m1" }),
  asked("x1", "t1", "ada", "bob"),
  started("t2", "bob", { rootMessageId: "m1", cause: "exchange", depth: 1 }),
  asked("x2", "t2", "bob", "ada"),
  ended("t2", "bob", { outcome: "interrupted" }),
  { type: "agent_callback_result", agentExchangeId: "x1", member: "bob", ok: false, text: "" },
  said("m2", ["cyd"]),
  asked("x3", "t1", "ada", "cyd"),
]);

test("state for caps and recovery is a fold of the log, the same from a snapshot at any position", () => {
  const whole = new ExchangeMemory();
  for (const event of log) whole.apply(event);
  expect(whole.open().map((one) => one.agentExchangeId)).toEqual(["x2", "x3"]);
  expect(whole.countsOf("m1")).toEqual({ asked: 3, turns: 1 });
  expect([whole.questionsInTurn("t1"), whole.questionsInTurn("t2")]).toEqual([2, 0]);
  expect([whole.questionsBetween("bob", "ada"), whole.questionsBetween("cyd", "ada")]).toEqual([0, 1]);
  expect([whole.stoppedSeq("bob"), whole.stoppedSeq("ada")]).toEqual([log[5]?.seq, 0]);
  for (const cut of log.keys()) {
    const before = new ExchangeMemory();
    for (const event of log.slice(0, cut)) before.apply(event);
    const after = new ExchangeMemory(ExchangeMemoryJson.parse(JSON.parse(JSON.stringify(before.toJson()))));
    for (const event of log.slice(cut)) after.apply(event);
    expect([cut, after.toJson()]).toEqual([cut, whole.toJson()]);
  }
});
