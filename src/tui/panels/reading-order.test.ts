import { expect, test } from "vitest";
import { ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { START_TS } from "../../../test/generate/stamped.ts";
import { picture, SETTINGS } from "../../../test/tui/draw-panels.ts";
import type { EventDraft } from "../../protocol/index.ts";

const text = (turnId: string, member: string, words: string): EventDraft => ({
  type: "text_delta",
  turnId,
  member,
  segmentId: turnId,
  text: words,
});
const shown = (drafts: readonly EventDraft[], rest: Partial<Parameters<typeof picture>[1]> = {}) =>
  picture(drafts, { width: 60, kinds: ["user", "turn", "notice"], ...rest })
    .split("\n")
    .filter((row) => row !== "");
const delivery = (messageId: string, member: string, state: "pending" | "delivered" | "answered"): EventDraft => ({
  type: "message_delivery",
  messageId,
  member,
  state,
});

test("a message that went into the turns of all whom it was for stands there, and nowhere else", () => {
  const both = ["claude", "codex"];
  const steered: EventDraft[] = [
    said("m1", both, { text: "Go" }),
    ...both.map((member) => started(`t-${member}`, member)),
    said("m2", both, { text: "Only src" }),
    ...both.map((member) => delivery("m2", member, "pending")),
    { type: "steering", turnId: "t-claude", member: "claude", messageId: "m2" },
    delivery("m2", "claude", "delivered"),
  ];
  expect(shown(steered).filter((row) => row.includes("❯ ↳ Only src"))).toHaveLength(2);
  expect(shown(steered).join("\n")).toContain("claude saw it · codex sees it at its next step");
  const all: EventDraft[] = [
    ...steered,
    { type: "steering", turnId: "t-codex", member: "codex", messageId: "m2" },
    ...both.flatMap((member) => [ended(`t-${member}`, member), delivery("m2", member, "answered")]),
  ];
  expect(
    shown(all)
      .filter((row) => row.includes("❯ ↳ Only src"))
      .map((row) => /\w+ saw it/.exec(row)?.[0]),
  ).toEqual(["claude saw it", "codex saw it"]);
  expect(shown(all, { isForcedOpen: true }).filter((row) => row.includes("Only src"))).toHaveLength(3);
});

test("a message that went into a running turn says of the others whether they have seen it", () => {
  const steered: EventDraft[] = [
    joined("gemini"),
    said("m1", ["claude", "codex", "gemini"], { text: "Go" }),
    ...["claude", "codex", "gemini"].map((member) => started(`t-${member}`, member)),
    ended("t-claude", "claude"),
    said("m2", ["claude", "codex", "gemini"], { text: "Only src" }),
    ...["claude", "codex", "gemini"].map((member) => delivery("m2", member, "pending")),
    { type: "steering", turnId: "t-codex", member: "codex", messageId: "m2" },
    delivery("m2", "codex", "delivered"),
    started("t2", "claude", { messageIds: ["m2"] }),
    delivery("m2", "claude", "delivered"),
  ];
  const address = (drafts: readonly EventDraft[]) =>
    /Only src +(.*)/.exec(picture(drafts, { width: 100, kinds: ["user"] }))?.[1]?.trim();
  expect(address(steered)).toBe("claude, codex saw it · gemini sees it at its next step");
  expect(address([...steered, ended("t-gemini", "gemini", { outcome: "interrupted" })])).toBe(
    "claude, codex saw it · gemini has not seen it yet",
  );
});

test("a subagent stands in the turn that sent it out, at work and done; expanded, with all that it did", () => {
  const drafts: EventDraft[] = [
    said("m1", ["claude"]),
    started("t1", "claude"),
    {
      type: "subagent_spawned",
      turnId: "t1",
      member: "claude",
      subagentTurnId: "t2",
      name: "finder",
      task: "find all clocks",
      depth: 1,
    },
    started("t2", "finder", { depth: 1, parentTurnId: "t1", cause: "subagent" }),
    text("t2", "finder", "Three of them."),
  ];
  expect(shown(drafts).slice(-2)).toEqual([" │ task find all clocks  ⠋ 0 s", " │   └ Three of them. …"]);
  const done: EventDraft[] = [
    ...drafts,
    ended("t2", "finder"),
    {
      type: "subagent_result",
      turnId: "t1",
      member: "claude",
      subagentTurnId: "t2",
      outcome: "completed",
      text: "Three of them.",
    },
    text("t1", "claude", "There are three."),
    ended("t1", "claude"),
  ];
  expect(shown(done).slice(-4)).toEqual([
    " │ task find all clocks  ✓ 1 s",
    " │   └ Three of them.  (o)",
    " │",
    " │ There are three.",
  ]);
  expect(shown(done, { settings: { ...SETTINGS, isExpanded: true } }).at(-1)).toBe(" │ Three of them.");
});

test("what was compacted during a turn stands in it, before what was said after it", () => {
  const rows = shown([
    said("m1", ["claude"]),
    started("t1", "claude"),
    {
      type: "compaction",
      turnId: "t1",
      member: "claude",
      summary: "",
      before: 9_000,
      after: 1_000,
      firstKeptSeq: 1,
    },
    text("t1", "claude", "The answer."),
    ended("t1", "claude"),
  ]);
  const at = rows.findIndex((row) => row.includes("compacted"));
  expect([at > 0, rows[at]?.startsWith(" │ "), rows.at(-1)]).toEqual([true, true, " │ The answer."]);
});

test("a failed turn offers to ask again only while that is possible", () => {
  const hint = " │ r ask claude again · g go on without claude";
  const failed = [said("m1", ["claude"]), started("t1", "claude"), ended("t1", "claude", { outcome: "errored" })];
  expect(shown(failed)).toContain(hint);
  expect(shown([...failed, started("t2", "claude", { round: 2 }), ended("t2", "claude")])).not.toContain(hint);
  expect(shown([...failed, said("m2", ["codex"])])).not.toContain(hint);
  expect(shown([...failed, started("t3", "codex"), ended("t3", "codex")])).toContain(hint);
});

test("a session that goes on within the hour does not say so", () => {
  const resumed = (ms: number) =>
    shown([said("m1", ["claude"]), { type: "session_resume", afterSeq: 5, afterTs: START_TS - ms }]).join("\n");
  expect(resumed(60_000)).not.toContain("resumed");
  expect(resumed(7_200_000)).toContain("resumed after 2 hours");
});
