import { expect, test } from "vitest";
import { created, joined } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { DraftOf, EventDraft, SessionEvent } from "../../protocol/index.ts";
import { formatCompaction, compactionOf, isFolded } from "../format/compaction.ts";
import { empty } from "../empty.ts";
import { eventLine } from "../format/event-line.ts";
import { fold } from "../fold.ts";

const compacted = (more: Partial<DraftOf<"compaction">> = {}): EventDraft => ({
  type: "compaction",
  member: "claude",
  summary: "Short.",
  before: 900,
  after: 100,
  firstKeptSeq: 4,
  ...more,
});

function play(...drafts: (EventDraft | ((before: readonly SessionEvent[]) => EventDraft))[]) {
  const all: EventDraft[] = [created(), joined("claude")];
  for (const draft of drafts) all.push(typeof draft === "function" ? draft(stamped(all)) : draft);
  return fold(empty("session"), stamped(all)).head;
}

const undone = (before: readonly SessionEvent[]): EventDraft => ({
  type: "compaction_undone",
  member: "claude",
  compactionId: before.findLast((event) => event.type === "compaction")?.id ?? "",
});

test("[T80] the head has what a member's last compaction kept; older messages are compacted, except pinned ones", () => {
  const pinned = [{ turnId: "t1", seq: 2, whole: true }];
  const head = play(compacted({ pinned, quoted: ["m9"], folded: 3 }));
  expect(compactionOf(head, "claude")).toEqual({
    id: expect.any(String),
    seq: 3,
    firstKeptSeq: 4,
    before: 900,
    after: 100,
    native: false,
    folded: 3,
    kept: ["t1", "m9"],
  });
  const ids: [number, string?][] = [[3], [3, "t1"], [3, "m9"], [3, "m8"], [4]];
  expect(ids.map(([seq, id]) => isFolded(head, "claude", seq, id))).toEqual([true, false, false, true, false]);
  expect(isFolded(head, "nobody", 1)).toBe(false);
  expect(isFolded(play(compacted({ native: true })), "claude", 1)).toBe(false);
});

test("undo removes the last compaction and restores the one before; leaving and clearing remove all", () => {
  const twice = [compacted(), compacted({ firstKeptSeq: 8 })];
  expect(compactionOf(play(...twice), "claude")?.firstKeptSeq).toBe(8);
  const back = play(...twice, undone);
  expect(compactionOf(back, "claude")?.firstKeptSeq).toBe(4);
  expect(back.members["claude"]?.isUndone).toBe(true);
  expect(play(...twice, undone, compacted()).members["claude"]?.isUndone).toBeUndefined();
  for (const end of [{ type: "session_clear" }, { type: "member_left", member: "claude" }] as const) {
    expect(compactionOf(play(...twice, end), "claude")).toBeUndefined();
  }
});

test("a compaction that runs between turns is shown from its start until it is done or has failed", () => {
  const start: EventDraft = { type: "compaction_started", member: "claude", focus: "figures" };
  expect(play(start).members["claude"]?.compacting).toEqual({ sinceTs: expect.any(Number), focus: "figures" });
  expect(play(start, compacted()).members["claude"]?.compacting).toBeUndefined();
  const failed: EventDraft = { type: "compaction_failed", member: "claude", reason: "too short" };
  expect(play(start, failed).members["claude"]?.compacting).toBeUndefined();
});

test("the usage of a compaction between turns is in the totals; in a turn it is part of that turn's usage", () => {
  const usage = { inputTokens: 7, outputTokens: 2 };
  const head = play(compacted({ usage }), compacted({ usage, turnId: "t" }));
  expect([head.totals, head.members["claude"]?.totals]).toMatchObject([
    { turns: 0, inputTokens: 7, outputTokens: 2 },
    { turns: 0, inputTokens: 7, outputTokens: 2 },
  ]);
});

test("steps of a member's context change nothing that is shown", () => {
  const entry: EventDraft = {
    type: "context_entry",
    turnId: "t",
    member: "claude",
    entry: { kind: "asked", text: "x" },
  };
  const { seq: _seq, updatedTs: _ts, ...before } = play();
  const { seq: _later, updatedTs: _tsLater, ...after } = play(entry);
  expect(after).toEqual(before);
});

test("a compaction is one line and, expanded, shows what was kept, compacted and pinned", () => {
  const [, , event] = stamped([
    created(),
    joined("claude"),
    compacted({ folded: 3, quoted: ["m"], focus: "figures", measured: false }),
  ]);
  if (event?.type !== "compaction") throw new Error("no compaction");
  expect(eventLine(event)).toBe("the context of claude was compacted from 900 to 100 tokens; 3 turns summarised");
  expect(formatCompaction(event)).toBe(
    [
      "Summarised: 3 turns; the log keeps the originals.",
      "Kept in full: everything from event 4 on.",
      "Kept because pinned: 1 message.",
      "Token counts are estimates.",
      "Focus: figures",
      "",
      "Short.",
    ].join("\n"),
  );
});
