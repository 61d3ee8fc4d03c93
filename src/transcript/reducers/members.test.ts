import { expect, test } from "vitest";
import { CAPABILITIES, created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import { fold } from "../fold.ts";
import { loadedMessages } from "../selectors/messages.ts";

const play = (...drafts: EventDraft[]) => fold(empty("session"), stamped([created(), joined("claude"), ...drafts]));
const claude = (...drafts: EventDraft[]) => play(...drafts).head.members["claude"];
const NO_TOTALS = empty("").head.totals;
const pending = (state: "pending" | "answering" | "answered"): EventDraft => ({
  type: "message_delivery",
  messageId: "m1",
  member: "claude",
  state,
});

test("a member that joins is active, idle, unmuted and has seen nothing", () => {
  const spec = { name: "claude", kind: "claude" as const, model: "large" };
  expect(claude(joined("claude", { spec }))).toStrictEqual({
    name: "claude",
    spec,
    capabilities: CAPABILITIES,
    seated: true,
    muted: false,
    model: "large",
    state: "idle",
    totals: NO_TOTALS,
    seenSeq: 0,
  });
});

test("a member that left is remembered with its totals; when it rejoins, only those are kept", () => {
  const busy: EventDraft[] = [
    { type: "member_session", member: "claude", nativeSessionId: "n1" },
    { type: "context_update", member: "claude", used: 10, window: 100, measured: true },
    { type: "member_muted", member: "claude" },
    started("t1", "claude", { given: { fromSeq: 0, toSeq: 4 } }),
    ended("t1", "claude", { usage: { inputTokens: 1, outputTokens: 2 } }),
    { type: "member_left", member: "claude" },
  ];
  const totals = { ...NO_TOTALS, turns: 1, inputTokens: 1, outputTokens: 2, costUsd: null };
  const spec = { name: "claude", kind: "embedded" };
  const left = { name: "claude", spec, capabilities: CAPABILITIES, seated: false, muted: false, state: "idle", totals };
  expect(claude(...busy)).toStrictEqual({ ...left, seenSeq: 4, lastOutcome: "completed" });
  expect(claude(...busy, joined("claude"))).toStrictEqual({ ...left, seated: true, seenSeq: 0 });
});

test("members that join before the first message make no notice; later changes do", () => {
  const transcript = play(
    joined("codex"),
    said("m1", []),
    joined("pi"),
    { type: "member_muted", member: "pi" },
    { type: "member_unmuted", member: "pi" },
    { type: "model_switched", member: "pi", model: "small" },
    { type: "member_left", member: "pi" },
  );
  const notices = [...loadedMessages(transcript)].map((message) => message.kind === "notice" && message.event.type);
  expect(notices).toStrictEqual([
    false,
    "member_joined",
    "member_muted",
    "member_unmuted",
    "model_switched",
    "member_left",
  ]);
});

test("the last event sets mute, model, native session and context", () => {
  const now = claude(
    { type: "member_muted", member: "claude" },
    { type: "model_switched", member: "claude", model: "small" },
    { type: "member_session", member: "claude", nativeSessionId: "n1" },
    { type: "context_update", member: "claude", used: 10, window: 100, compactAt: 80, measured: false },
  );
  expect(now).toMatchObject({
    muted: true,
    model: "small",
    nativeSessionId: "n1",
    context: { used: 10, window: 100, compactAt: 80, measured: false },
  });
  expect(claude({ type: "member_muted", member: "claude" }, { type: "member_unmuted", member: "claude" })?.muted).toBe(
    false,
  );
});

test("a member runs while a turn of it is open, waits while a message is pending for it, and is idle otherwise", () => {
  const states = [
    claude(said("m1", ["claude"])),
    claude(said("m1", ["claude"]), pending("pending")),
    claude(said("m1", ["claude"]), pending("pending"), started("t1", "claude")),
    claude(said("m1", ["claude"]), pending("pending"), started("t1", "claude"), ended("t1", "claude")),
    claude(said("m1", ["claude"]), pending("pending"), pending("answered")),
  ];
  expect(states.map((member) => [member?.state, member?.turnId])).toStrictEqual([
    ["idle", undefined],
    ["waiting", undefined],
    ["running", "t1"],
    ["waiting", undefined],
    ["idle", undefined],
  ]);
});

test("a subagent that goes by the member's name does not hide the member's own turn", () => {
  const open = [
    started("t1", "claude"),
    started("t2", "claude", { depth: 1, parentTurnId: "t1", given: { fromSeq: 0, toSeq: 99 } }),
  ];
  expect(claude(...open)).toMatchObject({ state: "running", turnId: "t1", seenSeq: 0 });
  expect(claude(...open, ended("t1", "claude"))).toMatchObject({
    state: "running",
    turnId: "t2",
    lastOutcome: "completed",
  });
  expect(claude(...open, ended("t2", "claude", { outcome: "errored" }))).not.toHaveProperty("lastOutcome");
});

test("[T31] seenSeq is the newest seq a turn was given and never goes back", () => {
  const given = (turnId: string, toSeq: number) => started(turnId, "claude", { given: { fromSeq: 0, toSeq } });
  expect(claude(given("t1", 5), ended("t1", "claude"), given("t2", 3), started("t3", "claude"))?.seenSeq).toBe(5);
});

test("[T31] a member may have the name of a built-in property, such as constructor", () => {
  const before = play({ type: "model_switched", member: "constructor", model: "x" });
  expect(Object.keys(before.head.members)).toStrictEqual(["claude"]);
  expect(play(joined("constructor"), started("t1", "constructor")).head.members["constructor"]).toMatchObject({
    state: "running",
  });
});

test("a turn keeps the effort it began with", () => {
  const switched = (effort: string): EventDraft => ({ type: "effort_switched", member: "claude", effort });
  const { head } = play(switched("low"), started("t1", "claude"), switched("high"), started("t2", "claude"));
  expect(head.openTurns["t1"]?.effort).toBe("low");
  expect(head.openTurns["t2"]?.effort).toBe("high");
});
