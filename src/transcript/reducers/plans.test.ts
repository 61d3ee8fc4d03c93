import { expect, test } from "vitest";
import { ended, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import type { TurnMessage } from "../messages.ts";
import { fold } from "../fold.ts";
import { loadedMessages, turnById } from "../selectors/messages.ts";

const play = (...drafts: EventDraft[]) => fold(empty("session"), stamped([started("t1", "claude"), ...drafts]));
const blocks = (...drafts: EventDraft[]) => (turnById(play(...drafts), "t1") as TurnMessage).blocks;
const plan = (planId: string, status: "pending" | "completed", turnId?: string): EventDraft => ({
  type: "plan_update",
  ...(turnId === undefined ? {} : { turnId }),
  member: "claude",
  planId,
  items: [{ text: "Read", status }],
  explanation: "First this.",
  needsDecision: true,
});
const decided: EventDraft = { type: "plan_decision", planId: "p1", decision: "approve" };

test("the head has the newest plan; a turn has one block per plan, which follows its updates", () => {
  const transcript = play(plan("p1", "pending", "t1"), plan("p2", "pending", "t1"), plan("p1", "completed", "t1"));
  const shown = (planId: string, status: string) => ({
    planId,
    items: [{ text: "Read", status }],
    explanation: "First this.",
  });
  expect(transcript.head.plan).toStrictEqual({ member: "claude", ...shown("p1", "completed"), needsDecision: true });
  expect(transcript.head.openTurns["t1"]?.blocks).toStrictEqual([
    { kind: "plan", ...shown("p1", "completed") },
    { kind: "plan", ...shown("p2", "pending") },
  ]);
});

test("a decision settles the plan and is shown in its block, also after the turn ended", () => {
  const after = [plan("p1", "pending", "t1"), ended("t1", "claude"), decided];
  expect(play(...after).head.plan?.needsDecision).toBe(false);
  expect(blocks(...after)).toMatchObject([{ kind: "plan", planId: "p1", decision: "approve" }]);
});

test("a decision about a plan outside any turn settles the head's; about an unknown plan it is a notice", () => {
  expect([...loadedMessages(play(plan("p1", "pending"), decided))].map((message) => message.kind)).toStrictEqual([
    "turn",
  ]);
  const unknown = play(plan("p2", "pending"), decided);
  expect([...loadedMessages(unknown)].map((message) => message.kind)).toStrictEqual(["turn", "notice"]);
  expect(unknown.head.plan?.needsDecision).toBe(true);
});

test("file changes, task summaries and model switches are in their turn, or notices without one", () => {
  const files = [{ path: "a.ts", status: "added" as const }];
  const drafts: EventDraft[] = [
    { type: "change_report", turnId: "t1", files, truncatedCount: 2 },
    { type: "finalize_task", turnId: "t1", summary: "Done." },
    { type: "model_fallback", turnId: "t1", preferred: "large", actual: "small", reason: "busy" },
  ];
  expect(blocks(...drafts)).toMatchObject([
    { kind: "changes", files, truncatedCount: 2 },
    { kind: "finished", summary: "Done." },
    { kind: "event", event: { type: "model_fallback" } },
  ]);
  expect(turnById(play(...drafts), "t1")?.model).toBe("small");
  const late = play(ended("t1", "claude"), ...drafts);
  expect([...loadedMessages(late)].map((message) => message.kind)).toStrictEqual([
    "turn",
    "notice",
    "notice",
    "notice",
  ]);
});
