import { expect, test } from "vitest";
import { created, ended, joined, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import { fold } from "../fold.ts";
import { turnById } from "../selectors/messages.ts";
import { describeTurn, formatReason, parentTurn } from "./turn.ts";

function describe(turnId: string, ...drafts: EventDraft[]) {
  const members = [created(), joined("claude"), joined("codex")];
  const transcript = fold(empty("session"), stamped([...members, ...drafts]));
  const turn = turnById(transcript, turnId);
  if (turn === undefined) throw new Error(`no turn ${turnId}`);
  return describeTurn(turn, parentTurn(turn, transcript));
}

const asks: EventDraft = {
  type: "agent_message",
  member: "claude",
  turnId: "t1",
  agentExchangeId: "x1",
  to: "codex",
  text: "Can you?",
  wait: true,
};

test("the origin of a turn names who asked, what sent it, its round and its attempt", () => {
  const open = [started("t1", "claude"), asks];
  const exchange = { cause: "exchange", depth: 1, parentTurnId: "t1", agentExchangeId: "x1" } as const;
  expect(describe("t2", ...open, started("t2", "codex", exchange)).origin).toEqual(["asked by claude"]);
  expect(describe("t2", ...open, started("t2", "claude", exchange)).origin).toEqual(["reads codex's answer"]);
  expect(describe("t2", started("t2", "codex", exchange)).origin).toEqual(["asked by another member"]);
  const sent = { cause: "subagent", depth: 1, parentTurnId: "t1" } as const;
  expect(describe("t2", ...open, started("t2", "claude", sent)).origin).toEqual(["subagent of claude"]);
  expect(describe("t2", started("t2", "claude", sent)).origin).toEqual(["subagent"]);
  expect(describe("t1", started("t1", "claude", { cause: "idle", round: 2 })).origin).toEqual(["by itself", "round 2"]);
  expect(describe("t1", started("t1", "claude", { cause: "minutes" })).origin).toEqual(["writes the minutes"]);
  expect(describe("t1", started("t1", "claude", { round: 1 })).origin).toEqual([]);
});

test("an open turn has an activity, and an ended one has none", () => {
  const begun = [started("t1", "claude")];
  const call = (toolCallId: string): EventDraft => ({
    type: "tool_call_start",
    turnId: "t1",
    member: "claude",
    toolCallId,
    name: "read",
    args: null,
  });
  const text: EventDraft = { type: "text_delta", turnId: "t1", member: "claude", segmentId: "s", text: "Well" };
  const activity = (...drafts: EventDraft[]) => describe("t1", ...begun, ...drafts).activity?.text;
  expect(activity()).toBe("starting");
  expect(activity(text)).toBe("writing");
  expect(activity(call("c1"))).toBe("calling read");
  expect(activity(call("c1"), call("c2"))).toBe("calling 2 tools");
  expect(activity(asks)).toBe("waits for codex");
  expect(activity(ended("t1", "claude"))).toBeUndefined();
});

test("an end that was not a success has a label and a reason", () => {
  const end = (facts: Parameters<typeof ended>[2]) =>
    describe("t1", started("t1", "claude"), ended("t1", "claude", facts)).end;
  expect(end({})).toBeUndefined();
  expect(end({ outcome: "interrupted", reason: "interrupted" })).toEqual({ label: "interrupted", why: "" });
  expect(end({ outcome: "interrupted", reason: "restart" })).toEqual({
    label: "interrupted",
    why: "the server was restarted",
  });
  expect(end({ outcome: "errored", error: { code: "x", message: "No credit." } })).toEqual({
    label: "failed",
    why: "No credit.",
  });
});

test("reason codes are shown as text, and unknown codes are not shown", () => {
  expect(["closed", "restart", "member_left", "unsupported", "", "The key is wrong."].map(formatReason)).toEqual([
    "the server stopped",
    "the server was restarted",
    "it left the session",
    "",
    "",
    "The key is wrong.",
  ]);
});
