import { expect, test } from "vitest";
import { created, ended, joined, said, started } from "../../test/generate/drafts.ts";
import { stamped, START_TS } from "../../test/generate/stamped.ts";
import type { EventDraft, SessionEvent } from "../protocol/index.ts";
import { empty } from "./empty.ts";
import { fold } from "./fold.ts";
import { reduce } from "./reduce.ts";

const start = () => fold(empty("session"), stamped([created(), joined("claude")]));
const damage = (fromSeq: number, toSeq: number): SessionEvent => ({
  seq: toSeq,
  epoch: 1,
  id: "damage",
  ts: 0,
  sessionId: "session",
  type: "damage",
  fromSeq,
  toSeq,
  offset: 10,
  bytes: 20,
});

test("[T5] an event whose seq was folded before is ignored, whatever its content", () => {
  const before = start();
  expect(fold(before, stamped([created({ title: "Other" }), joined("codex")]))).toBe(before);
});

test("[T6] a missing seq throws and names the session, both seqs and how many events are missing", () => {
  const [late] = stamped([said("m1", [])], 5);
  expect(() => reduce(start(), late as SessionEvent)).toThrow(
    "Session session: event 6 (user_message) cannot follow 2: 3 events are missing.",
  );
});

test("[T7] damage covers the seqs it lost, becomes a notice and has no time of its own", () => {
  const after = reduce(start(), damage(3, 7));
  expect(after.live[0]?.messages).toStrictEqual([{ kind: "notice", position: 0, seq: 7, ts: 0, event: damage(3, 7) }]);
  expect([after.head.seq, after.head.updatedTs]).toStrictEqual([7, START_TS + 2000]);
  expect(reduce(after, stamped([said("m1", [])], 7)[0] as SessionEvent).head.seq).toBe(8);
});

test("[T7] damage that starts inside a folded snapshot is accepted; damage beyond a gap throws", () => {
  expect(reduce(start(), damage(1, 4)).head.seq).toBe(4);
  expect(() => reduce(start(), damage(5, 6))).toThrow("2 events are missing");
});

test("[T4] an unknown type is kept whole: in its turn while that is open, as a notice otherwise", () => {
  const unknown = (turnId: string) => ({ type: "hologram", turnId, sides: 12 }) as unknown as EventDraft;
  const events = stamped([started("t1", "claude"), unknown("t1"), unknown("t0")]);
  const { head, live } = fold(empty("session"), events);
  expect(head.openTurns["t1"]?.blocks).toStrictEqual([{ kind: "event", event: events[1] }]);
  expect(live[0]?.messages[1]).toStrictEqual({
    kind: "notice",
    position: 1,
    seq: 3,
    ts: START_TS + 3000,
    event: events[2],
  });
});

test("undefined fields are ignored: a live event and one read back fold to the same", () => {
  const drafts = [
    created(),
    { type: "settings_changed", settings: { auto_rounds: 2, prompt: undefined } },
    { type: "warning", code: "slow", message: "Slow.", detail: undefined },
    { ...said("m1", []), clientId: undefined, textBlob: undefined },
    { ...started("t1", "claude"), round: undefined, model: undefined },
    {
      type: "tool_call_start",
      turnId: "t1",
      member: "claude",
      toolCallId: "c1",
      name: "read",
      args: {},
      kind: undefined,
    },
    { type: "ui_widget", key: "todo", content: "x", opts: {} },
    { ...ended("t1", "claude"), reason: undefined, error: undefined },
  ] as EventDraft[];
  const events = stamped(drafts);
  const live = fold(empty("session"), events);
  expect(live).toStrictEqual(fold(empty("session"), JSON.parse(JSON.stringify(events)) as SessionEvent[]));
  expect(live).toStrictEqual(JSON.parse(JSON.stringify(live)));
});

test("every event advances seq, epoch and time, even if it changes nothing else", () => {
  const [mirrored] = stamped([{ type: "mirrored", eventSeq: 1, number: 1, hash: "ab" }], 2);
  const before = start();
  const after = reduce(before, { ...(mirrored as SessionEvent), epoch: 4 });
  expect(after).toStrictEqual({ ...before, head: { ...before.head, seq: 3, epoch: 4, updatedTs: START_TS + 3000 } });
});

test("events outside any turn are kept as notices", () => {
  const drafts: EventDraft[] = [
    { type: "session_resume", afterSeq: 0 },
    { type: "minutes", text: "We agreed." },
    { type: "compaction", member: "claude", summary: "So far.", before: 9, after: 1, firstKeptSeq: 1 },
    { type: "compaction_undone", member: "claude", compactionId: "event-3" },
    { type: "output_cancelled", by: "client", scope: "all", turnIds: [] },
    { type: "recovered", turnIds: [], tornBytes: 3 },
    { type: "read_only", fromTs: 1, toTs: 2, reason: "full", dropped: 0 },
    { type: "error", code: "x", message: "y" },
    { type: "ui_notify", message: "Hi", notifyType: "info" },
  ];
  const events = stamped(drafts);
  const { live } = fold(empty("session"), events);
  expect(live[0]?.messages.map((message) => message.kind === "notice" && message.event)).toStrictEqual(events);
});
