import { expect, test } from "vitest";
import type { EventDraft, Settings } from "../../src/protocol/index.ts";
import { created, ended, joined, said, SETTINGS, started } from "../generate/drafts.ts";
import { stamped } from "../generate/stamped.ts";
import { judgeCouncil } from "./council-judge.ts";

const settings: Settings = { ...SETTINGS, auto_rounds: 1, limits: { ...SETTINGS.limits, turns: 4 } };
const opening: EventDraft[] = [
  created({ settings }),
  joined("ada"),
  joined("bob"),
  said("m1", ["ada", "bob"], { toAll: true }),
  ...speaks("t1", "ada", 1),
  ...speaks("t2", "bob", 1),
];

function speaks(turnId: string, member: string, round: number, text = "Words."): EventDraft[] {
  const cause = round > 1 ? { cause: "round" as const, messageIds: [] } : { messageIds: ["m1"] };
  return [
    started(turnId, member, { round, rootMessageId: "m1", ...cause }),
    { type: "text_done", turnId, member, segmentId: `s-${turnId}`, text },
    ended(turnId, member),
  ];
}

function settled(why: "cap" | "agreed" | "nobody_left" | "all_failed", round: number): EventDraft {
  return { type: "council_settled", why, rootMessageId: "m1", round };
}

const judge =
  (...more: EventDraft[]) =>
  () =>
    judgeCouncil(stamped([...opening, ...more]), {
      empties: new Set(["Nothing to add."]),
      isAtRest: true,
    });
const round2 = [...speaks("t3", "ada", 2), ...speaks("t4", "bob", 2)];

test("the judge passes a discussion that keeps its rules and counts its rounds", () => {
  expect(judge(...round2, settled("cap", 2))()).toEqual({
    rounds: new Map([["m1", 1]]),
    settled: ["cap"],
    paused: [],
  });
});

test("the judge finds every way to break them", () => {
  const [start] = speaks("t3", "ada", 2);
  expect(judge(...speaks("t3", "bob", 2))).toThrow("comes before ada");
  expect(judge(...round2, ...speaks("t5", "ada", 2))).toThrow("speaks twice in the round");
  expect(judge(...speaks("t3", "ada", 2), ...speaks("t4", "ada", 3))).toThrow("is beyond the last round");
  expect(judge(...round2, settled("cap", 2), ...speaks("t5", "ada", 2))).toThrow("the discussion does not run");
  expect(judge(start!, ...speaks("t4", "bob", 2))).toThrow("starts while ada speaks");
  expect(judge(...speaks("t3", "ada", 3))).toThrow("not of the round that is under way");
  expect(judge(settled("cap", 1))).toThrow("rounds are left");
  expect(judge(settled("agreed", 1))).toThrow("not all agreed");
  expect(judge(settled("all_failed", 1))).toThrow("somebody answered");
  expect(judge(settled("nobody_left", 1))).toThrow("enough members are left");
  expect(judge(...speaks("t3", "ada", 2), settled("cap", 2))).toThrow("bob had not spoken");
  expect(judge(...speaks("t3", "ada", 2))).toThrow("stands still in round 2 of 2");
  expect(judge(said("m2", ["ada", "bob"], { toAll: true }))).toThrow("before the discussion it ends was settled");
  expect(judge({ type: "council_paused", why: "limit", limit: "turns", scope: "message", message: "" })).toThrow(
    "the limit is not reached",
  );
  const tight: EventDraft = { type: "settings_changed", settings: { limits: { ...settings.limits, turns: 3 } } };
  expect(judge(tight, ...round2)).toThrow("over the limit of turns for the message");
  const muted: EventDraft = { type: "member_muted", member: "ada" };
  expect(judge(muted, ...speaks("t3", "ada", 2))).toThrow("comes before bob");
});
