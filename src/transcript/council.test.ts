import { expect, test } from "vitest";
import { ended, said, started } from "../../test/generate/drafts.ts";
import { stamped } from "../../test/generate/stamped.ts";
import type { EventDraft } from "../protocol/index.ts";
import { empty } from "./empty.ts";
import { fold } from "./fold.ts";

const head = (...drafts: EventDraft[]) => fold(empty("session"), stamped(drafts)).head;
const turn = (turnId: string, member: string, round: number, rootMessageId = "m1") =>
  started(turnId, member, { round, rootMessageId });
const round1 = [said("m1", ["claude", "codex"], { toAll: true }), turn("t1", "claude", 1), turn("t2", "codex", 1)];

test("[T37] a round is the turns that say so: who still runs, who has settled, in the order they did", () => {
  expect(head(...round1).round).toStrictEqual({
    number: 1,
    rootMessageId: "m1",
    running: ["claude", "codex"],
    settled: [],
  });
  expect(head(...round1, ended("t2", "codex")).round).toStrictEqual({
    number: 1,
    rootMessageId: "m1",
    running: ["claude"],
    settled: ["codex"],
  });
});

test("[T37] a later round, or a round about another message, begins anew", () => {
  const next = [...round1, ended("t1", "claude"), ended("t2", "codex"), turn("t3", "claude", 2)];
  expect(head(...next).round).toStrictEqual({ number: 2, rootMessageId: "m1", running: ["claude"], settled: [] });
  expect(head(...next, turn("t4", "codex", 1, "m2")).round).toStrictEqual({
    number: 1,
    rootMessageId: "m2",
    running: ["codex"],
    settled: [],
  });
});

test("[T37] a retry in the same round runs again; one of an earlier round does not turn the round back", () => {
  const again = [...round1, ended("t1", "claude"), turn("t3", "claude", 1)];
  expect(head(...again).round).toMatchObject({ running: ["codex", "claude"], settled: [] });
  const late = head(...round1, turn("t3", "claude", 2), turn("t4", "codex", 1), ended("t4", "codex"));
  expect(late.round).toStrictEqual({ number: 2, rootMessageId: "m1", running: ["claude"], settled: [] });
});

test("[T37] turns of subagents and turns outside a round leave the round alone", () => {
  const same = head(
    ...round1,
    started("t3", "claude", { round: 1, rootMessageId: "m1", depth: 1 }),
    ended("t3", "claude"),
    started("t4", "pi"),
    ended("t4", "pi"),
  );
  expect(same.round).toStrictEqual(head(...round1).round);
});

test("[T38] the council runs from the first turn of a round until it is settled or paused", () => {
  const settled: EventDraft = { type: "council_settled", why: "cap", rootMessageId: "m1", round: 1 };
  const paused: EventDraft = { type: "council_paused", why: "restart", message: "Restarted." };
  expect(head().council).toStrictEqual({ state: "idle" });
  expect(head(...round1).council).toStrictEqual({ state: "running" });
  expect(head(...round1, settled).council).toStrictEqual({ state: "settled", why: "cap" });
  expect(head(...round1, paused).council).toStrictEqual({ state: "paused", why: "restart", message: "Restarted." });
  expect(head(...round1, paused, said("m2", ["claude"])).council.state).toBe("paused");
  expect(head(...round1, paused, said("m2", ["claude"], { toAll: true })).council).toStrictEqual({ state: "idle" });
  expect(head(...round1, said("m2", ["claude"], { toAll: true })).council).toStrictEqual({ state: "running" });
});
