/** Concurrent approvals over several screens: what runs is what was approved. */
import { expect, test } from "vitest";
import type { EventDraft } from "../../src/protocol/index.ts";
import { stamped } from "../generate/stamped.ts";
import { interleaveMany, judgeAnswers, judgeDeeds } from "./approvals.ts";

const COUNT_MIN = 8;
const seed = Number(process.env["ROUNDTABLE_SEED"] ?? Date.now() % 1_000_000);

test("[S66] in 30 interleavings of members that ask and screens that answer, what ran is exactly what was approved", async () => {
  console.log(`approvals seed: ${seed}`);
  const { counts, faults } = await interleaveMany({ count: 30, seed });
  console.log(JSON.stringify(counts));
  expect(faults).toEqual([]);
  // Every way to end was gone, also on a slow machine: otherwise the above proves little.
  expect(Object.entries(counts).filter(([, count]) => count < COUNT_MIN)).toEqual([]);
});

test("the judge finds a deed without approval, after a stop or twice, an approval without a deed, and an untrue acknowledgement", () => {
  const request = { method: "approval" as const, title: "Run?", tool: "shell", callHash: "", options: [] };
  const asks = (requestId: string): EventDraft => ({
    type: "ui_request",
    requestId,
    member: "ada",
    turnId: "t1",
    request: { ...request, call: `call of ${requestId}` },
    timeoutMs: 1,
    default: false,
  });
  const log = stamped([
    ...["yes", "no", "idle", "open"].map(asks),
    { type: "ui_response", requestId: "yes", result: "allow", error: null, clientId: "a", by: "A" },
    { type: "ui_response", requestId: "no", result: "deny", error: null, clientId: "b", by: "B" },
    { type: "ui_cancelled", requestId: "idle", reason: "expired" },
  ]);
  expect(judgeDeeds(log, { done: ["call of yes"], afterStop: [] })).toEqual([]);
  expect(judgeDeeds(log, { done: [], afterStop: [] })).toEqual(["approved and never run: call of yes"]);
  const done = ["call of yes", "call of yes", "call of no", "call of idle", "call of another session"];
  expect(judgeDeeds(log, { done, afterStop: ["call of yes"] })).toEqual([
    "ran without approval: call of no",
    "ran without approval: call of idle",
    "ran twice: call of yes",
    "ran after its turn was stopped: call of yes",
  ]);
  const ok = { commandId: "c", ok: true as const, seq: 9 };
  const conflict = (message: string) => ({
    commandId: "c",
    ok: false as const,
    error: { code: "conflict" as const, message },
  });
  expect(
    judgeAnswers(log, [
      { requestId: "yes", clientId: "a", result: "allow", ack: ok },
      { requestId: "yes", clientId: "b", result: "deny", ack: conflict("closed: answered by A.") },
      { requestId: "yes", clientId: "c", result: "deny", ack: conflict("closed: answered by B.") },
      { requestId: "no", clientId: "c", result: "deny", ack: ok },
      { requestId: "idle", clientId: "a", result: "allow", ack: ok },
    ]),
  ).toEqual([
    "open was closed 0 times",
    "yes: closed: answered by B., not answered by A",
    "no: c was told that its deny counts, but it was answered by B",
    "idle: a was told that its allow counts, but it was expired",
    "2 answers in the log, 3 acknowledged",
  ]);
});
