import { expect, test } from "vitest";
import { created, ended, joined, said, SETTINGS, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import { fold } from "../fold.ts";
import { capMeters, meterLine, roundLine, roundView } from "../selectors/council.ts";

const head = (...drafts: EventDraft[]) => fold(empty("session"), stamped(drafts)).head;
const joins = [created(), joined("claude"), joined("codex"), joined("pi")];
const turn = (turnId: string, member: string, round: number, rootMessageId = "m1") =>
  started(turnId, member, { round, rootMessageId });
const toAll = (messageId: string, to = ["claude", "codex"]) => said(messageId, to, { toAll: true });
const round1 = [toAll("m1"), turn("t1", "claude", 1), turn("t2", "codex", 1)];
const text = (turnId: string, member: string, words: string): EventDraft => ({
  type: "text_done",
  turnId,
  member,
  segmentId: `${turnId}-s`,
  text: words,
});
const fresh = { of: 1, rootMessageId: "m1", running: [], settled: [], results: {}, called: [] };

test("a round lists running and settled turns in the order they settled", () => {
  expect(head(...round1).round).toStrictEqual({ ...fresh, number: 1, running: ["claude", "codex"] });
  const one = text("t2", "codex", "Because of the cache.");
  expect(head(...round1, one, ended("t2", "codex")).round).toStrictEqual({
    ...fresh,
    number: 1,
    running: ["claude"],
    settled: ["codex"],
    results: { codex: "spoke" },
  });
});

test("a later round starts empty, and so does the discussion of another message to all", () => {
  const next = [...round1, ended("t1", "claude"), ended("t2", "codex"), turn("t3", "claude", 2)];
  expect(head(...next).round).toStrictEqual({ ...fresh, number: 2, of: 2, running: ["claude"] });
  const other = [...next, toAll("m2"), turn("t4", "codex", 1, "m2")];
  expect(head(...other).round).toStrictEqual({ ...fresh, number: 1, rootMessageId: "m2", running: ["codex"] });
  expect(head(...other, turn("t5", "claude", 1, "m1")).round).toStrictEqual(head(...other).round);
  expect(head(...other, said("m3", ["claude"])).round).toStrictEqual(head(...other).round);
});

test("a retry in the same round runs again; one of an earlier round does not reopen it", () => {
  const again = [...round1, ended("t1", "claude"), turn("t3", "claude", 1)];
  expect(head(...again).round).toMatchObject({ running: ["codex", "claude"], settled: [], results: {} });
  const late = head(...round1, turn("t3", "claude", 2), turn("t4", "codex", 1), ended("t4", "codex"));
  expect(late.round).toStrictEqual({ ...fresh, number: 2, of: 2, running: ["claude"] });
});

test("turns of subagents, turns outside a round and imported turns do not change the round", () => {
  const same = head(
    ...round1,
    started("t3", "claude", { round: 1, rootMessageId: "m1", depth: 1 }),
    ended("t3", "claude"),
    started("t4", "pi"),
    ended("t4", "pi"),
    started("t5", "pi", { round: 1, rootMessageId: "m1", cause: "imported" }),
    ended("t5", "pi"),
  );
  expect(same.round).toStrictEqual(head(...round1).round);
});

test("the council runs from a message to all until it is settled or paused; only council_resumed lifts a pause or a stop", () => {
  const settled = (why: "cap" | "interrupted"): EventDraft => ({
    type: "council_settled",
    why,
    rootMessageId: "m1",
    round: 1,
  });
  const paused: EventDraft = { type: "council_paused", why: "restart", message: "Restarted." };
  const resumed: EventDraft = { type: "council_resumed", rootMessageId: "m1", rounds: 2 };
  expect(head().council).toStrictEqual({ state: "idle" });
  expect(head(toAll("m1")).council).toStrictEqual({ state: "running" });
  expect(head(...round1, settled("cap")).council).toStrictEqual({ state: "settled", why: "cap" });
  expect(head(...round1, paused).council).toStrictEqual({ state: "paused", why: "restart", message: "Restarted." });
  expect(head(...round1, paused, said("m2", ["claude"])).council.state).toBe("paused");
  expect(head(...round1, paused, toAll("m2")).council).toStrictEqual({ state: "running" });
  const again = turn("t3", "pi", 1);
  expect(head(...round1, settled("cap"), again).council).toStrictEqual({ state: "running" });
  expect(head(...round1, settled("interrupted"), again).council.state).toBe("settled");
  expect(head(...round1, paused, again).council.state).toBe("paused");
  expect(head(...round1, paused, resumed).council).toStrictEqual({ state: "running" });
  expect(head(...round1, settled("cap"), resumed).round).toMatchObject({ of: 2, isReopened: true });
});

test("a copied message opens no discussion", () => {
  const copied = said("m1", ["claude", "codex"], { toAll: true, copiedFrom: "e1" });
  expect([head(copied).round, head(copied).council]).toStrictEqual([undefined, { state: "idle" }]);
});

test("[T70] a discussion has at most one round more than its message or the settings ask for; one member has none", () => {
  expect(head(...joins, toAll("m1")).round?.of).toBe(4);
  expect(head(...joins, { ...toAll("m1"), rounds: 1 }).round?.of).toBe(2);
  expect(head(...joins, { ...toAll("m1"), rounds: 0 }).round?.of).toBe(1);
  expect(head(...joins, toAll("m1", ["claude"])).round?.of).toBe(1);
});

test("without further rounds the discussion is over when every recipient has settled the message", () => {
  const deliver = (member: string, state: "pending" | "answered" | "dropped"): EventDraft => ({
    type: "message_delivery",
    messageId: "m1",
    member,
    state,
  });
  const one = [...round1, ended("t1", "claude"), deliver("claude", "answered"), ended("t2", "codex")];
  expect(head(...one).council.state).toBe("running");
  expect(head(...one, deliver("codex", "answered")).council.state).toBe("idle");
  expect(head(...joins, ...one, deliver("codex", "answered")).council.state).toBe("running");
});

test("a turn that a message to all is steered into is its member's turn of the opening round", () => {
  const steered: EventDraft = { type: "steering", messageId: "m2", member: "claude", turnId: "t1" };
  const log = [...joins, ...round1, toAll("m2"), steered];
  expect(head(...log).round).toMatchObject({ number: 1, rootMessageId: "m2", running: ["claude"], settled: [] });
  const done = head(...log, text("t1", "claude", "Both, then."), ended("t1", "claude"), ended("t2", "codex"));
  expect(done.round).toMatchObject({ running: [], settled: ["claude"], results: { claude: "spoke" } });
});

test("[T73] results of a turn: text, nothing to add, failed, stopped; a removal or a restart is no stop", () => {
  const result = (words: string, rest: Parameters<typeof ended>[2] = {}) =>
    head(...round1, text("t1", "claude", words), ended("t1", "claude", rest)).round?.results["claude"];
  expect(result("The cache is stale.")).toBe("spoke");
  expect(result("Nothing to add.")).toBe("nothing");
  expect(result("")).toBe("nothing");
  expect(result("Words", { outcome: "errored" })).toBe("failed");
  expect(result("Words", { outcome: "timed_out" })).toBe("failed");
  expect(result("Words", { outcome: "interrupted" })).toBe("interrupted");
  expect(result("Words", { outcome: "interrupted", reason: "member_left" })).toBe("failed");
  expect(result("Words", { outcome: "interrupted", reason: "restart" })).toBe("failed");
});

test("the next member: member order, mentioned members first, none twice", () => {
  const order: EventDraft = { type: "settings_changed", settings: { order: ["pi", "claude", "codex"] } };
  const one = [...joins, order, toAll("m1", ["claude", "codex", "pi"]), turn("t1", "pi", 2)];
  expect(roundView(head(...one))).toMatchObject({ number: 2, of: 4, waiting: ["claude", "codex"], next: "claude" });
  expect(roundLine(head(...one))).toBe("round 2 of 4 · claude is next");
  const named = [...one, text("t1", "pi", "What does @codex say? And @pi, @nobody"), ended("t1", "pi")];
  expect(roundView(head(...named))).toMatchObject({ waiting: ["codex", "claude"], next: "codex" });
  const thanked = [...one, text("t1", "pi", "Thanks @codex!"), ended("t1", "pi")];
  expect(roundView(head(...thanked))?.waiting).toEqual(["claude", "codex"]);
  const muted: EventDraft = { type: "member_muted", member: "codex" };
  expect(roundView(head(...named, muted))?.waiting).toEqual(["claude"]);
  const last = [...named, turn("t2", "codex", 2), ended("t2", "codex"), turn("t3", "claude", 2)];
  expect(roundView(head(...last))).toMatchObject({ waiting: [], next: "pi" });
  expect(roundLine(head(...last))).toBe("round 2 of 4 · pi is next");
  expect(roundLine(head(...last, turn("t4", "pi", 4), turn("t5", "claude", 4), turn("t6", "codex", 4)))).toBe(
    "round 4 of 4",
  );
  const paused: EventDraft = { type: "council_paused", why: "limit", limit: "turns", message: "Enough." };
  expect(roundLine(head(...last, paused))).toBe("round 2 of 4 · paused");
});

test("meters: turns, minutes, tokens and money of the message and of the session, with what was raised", () => {
  const usage = { inputTokens: 10, outputTokens: 5, costUsd: 0.25 };
  const log = [
    ...joins,
    said("m0", ["claude"]),
    started("t0", "claude", { rootMessageId: "m0" }),
    ended("t0", "claude", { usage }),
    toAll("m1"),
    turn("t1", "claude", 1),
    turn("t2", "codex", 1),
    ended("t1", "claude", { usage }),
    ended("t2", "codex", { usage }),
    started("t3", "claude", { rootMessageId: "m1", cause: "subagent", depth: 1 }),
    ended("t3", "claude", { usage }),
  ];
  const meters = capMeters(head(...log));
  expect(meters.map(({ scope, limit, used, max }) => [scope, limit, Math.round(used * 1000) / 1000, max])).toEqual([
    ["message", "turns", 2, 40],
    ["message", "minutes", 0.067, 30],
    ["message", "tokens", 45, 2_000_000],
    ["message", "usd", 0.75, 5],
    ["session", "turns", 3, 400],
    ["session", "minutes", 0.083, 300],
    ["session", "tokens", 60, 20_000_000],
    ["session", "usd", 1, 50],
  ]);
  expect(meters.map(meterLine).slice(0, 4)).toEqual(["2/40 turns", "0/30 min", "45/2M tokens", "$0.75/$5"]);
  const raised: EventDraft = {
    type: "council_resumed",
    rootMessageId: "m1",
    raised: [{ scope: "message", limit: "turns", to: 80 }],
  };
  expect(capMeters(head(...log, raised))[0]).toMatchObject({ max: 80, step: 40, isReached: false });
  expect(capMeters(head(...log, raised, toAll("m2")))[0]).toMatchObject({ used: 0, max: 40 });
  const limits = { turns: 2, minutes: 30, tokens: 20, usd: 5, session: { turns: 7 } };
  const tight: EventDraft = { type: "settings_changed", settings: { limits } };
  const [turns, , tokens, , ofSession] = capMeters(head(...log, raised, tight));
  expect([turns?.isReached, tokens?.isReached, ofSession?.max]).toEqual([true, true, 7]);
});

test("time cut by a restart is not counted, nor copied or imported turns", () => {
  const log = [...joins, toAll("m1"), turn("t1", "claude", 1)];
  const cut = head(...log, ended("t1", "claude", { outcome: "interrupted", reason: "restart" }));
  expect(cut.spent.message).toStrictEqual({ turns: 1, activeMs: 0, tokens: 0, usd: 0, open: 0 });
  const foreign = head(
    ...joins,
    toAll("m1"),
    started("t1", "claude", { rootMessageId: "m1", cause: "imported" }),
    ended("t1", "claude", { copied: true }),
  );
  expect(foreign.spent.session.turns).toBe(0);
});

test("default rounds apply only where a member has a model", () => {
  const usual = created({ settings: { ...SETTINGS, auto_rounds: 3, rounds_need_model: true } });
  const model = joined("codex", { spec: { name: "codex", kind: "codex" } });
  const rules = [usual, joined("scout"), joined("critic"), model];
  const rounds = (...drafts: EventDraft[]) => head(...rules, ...drafts).round?.of;
  const toRules = ["scout", "critic"];
  expect(rounds(toAll("m1", toRules))).toBe(1);
  expect(rounds(toAll("m1", [...toRules, "codex"]))).toBe(4);
  expect(rounds(said("m1", toRules, { toAll: true, rounds: 2 }))).toBe(3);
  expect(rounds({ type: "settings_changed", settings: { auto_rounds: 1 } }, toAll("m1", toRules))).toBe(2);
});
