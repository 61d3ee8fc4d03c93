import { expect, test } from "vitest";
import { created, ended, joined, said, SETTINGS, started } from "../../../test/generate/drafts.ts";
import { stamped, START_TS } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { empty, NOTHING_SPENT } from "../empty.ts";
import { PINNED_MAX } from "../model.ts";
import { fold } from "../fold.ts";
import { loadedMessages } from "../selectors/messages.ts";

const play = (...drafts: EventDraft[]) => fold(empty("session"), stamped(drafts));
const pin = (messageId: string, pinned = true): EventDraft => ({ type: "message_pinned", messageId, pinned });

test("session_created gives title, directory, time and settings; later facts change them", () => {
  const { head } = play(
    created(),
    { type: "session_renamed", title: "Better" },
    { type: "session_archived", archived: true },
    { type: "settings_changed", settings: { auto_rounds: 1, order: ["codex"] } },
  );
  expect(head).toStrictEqual({
    ...empty("session").head,
    seq: 4,
    epoch: 1,
    title: "Better",
    cwd: "/project",
    createdTs: START_TS + 1000,
    updatedTs: START_TS + 4000,
    archived: true,
    settings: { ...SETTINGS, auto_rounds: 1, order: ["codex"] },
  });
});

test("a session's origin, a second creation and a lost change of settings are notices", () => {
  const forked = created({ forkedFrom: { sessionId: "other", seq: 9 } });
  const types = (...drafts: EventDraft[]) =>
    [...loadedMessages(play(...drafts))].map((message) => message.kind === "notice" && message.event.type);
  expect(types(forked)).toStrictEqual(["session_created"]);
  expect(types(created({ imported: { source: "x", from: "y" } }))).toStrictEqual(["session_created"]);
  expect(types(created(), created({ title: "Second" }))).toStrictEqual(["session_created"]);
  expect(play(created(), created({ title: "Second" })).head.title).toBe("A session");
  expect(types({ type: "settings_changed", settings: { auto_rounds: 1 } })).toStrictEqual(["settings_changed"]);
});

test("[T46] a clear empties what members and screens see and keeps messages, totals and the queue", () => {
  const item = { messageId: "m2", text: "Later", to: ["claude"], attachments: [], ts: 5 };
  const before = play(
    created(),
    joined("claude"),
    { type: "member_session", member: "claude", nativeSessionId: "n1" },
    { type: "context_update", member: "claude", used: 1, window: 10, measured: true },
    said("m1", ["claude"], { toAll: true }),
    { type: "queue_updated", items: [item] },
    started("t1", "claude", { round: 1, rootMessageId: "m1" }),
    { type: "plan_update", planId: "p1", items: [] },
    { type: "ui_status", key: "branch", text: "main" },
    pin("m1"),
    ended("t1", "claude", { usage: { inputTokens: 1, outputTokens: 1 } }),
  );
  const after = fold(before, stamped([{ type: "session_clear" }], 11));
  const { plan: _plan, round: _round, members, ...kept } = before.head;
  const { nativeSessionId: _native, context: _context, ...member } = members["claude"] ?? {};
  expect(after.head).toStrictEqual({
    ...kept,
    seq: 12,
    updatedTs: START_TS + 12_000,
    members: { claude: member },
    council: { state: "idle" },
    spent: { message: NOTHING_SPENT, session: before.head.spent.session },
    pinned: [],
    ui: { status: {}, widgets: {} },
    messageCount: 3,
    clearedSeq: 12,
  });
});

test("pins are kept in order, once each", () => {
  expect(
    play(pin("m1"), pin("m2"), pin("m3"), pin("m2", false), pin("m1"), pin("m9", false)).head.pinned,
  ).toStrictEqual(["m3", "m1"]);
});

test("a pin beyond PINNED_MAX becomes a notice and drops no older pin", () => {
  const { head } = play(...Array.from({ length: PINNED_MAX + 1 }, (_, index) => pin(`m${index}`)));
  expect([head.pinned.length, head.pinned[0], head.pinned.at(-1), head.messageCount]).toStrictEqual([
    PINNED_MAX,
    "m0",
    `m${PINNED_MAX - 1}`,
    1,
  ]);
});
