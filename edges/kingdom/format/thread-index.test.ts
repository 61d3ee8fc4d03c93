import { expect, test } from "vitest";
import { NO_CAPABILITIES, type EventDraft, type Settings } from "../../../src/protocol/index.ts";
import { ThreadIndex } from "./thread-index.ts";

const SETTINGS = { timeout: 600, mirror: { kd: "/x/.kd", branch: "main", thread: "council-1" } } as unknown as Settings;
const TS = Date.parse("2026-11-15T00:35:24Z");

function buildThreadIndex(...drafts: readonly EventDraft[]): ThreadIndex {
  const builder = new ThreadIndex();
  const begin: EventDraft[] = [
    { type: "session_created", format: 1, cwd: "/x", title: "t", settings: SETTINGS },
    ...["claude", "a_b"].map((name): EventDraft => ({
      type: "member_joined",
      member: name,
      spec: { name, kind: "embedded" },
      capabilities: NO_CAPABILITIES,
    })),
  ];
  for (const [index, draft] of [...begin, ...drafts].entries()) {
    builder.apply({ seq: index + 1, epoch: 1, id: String(index), ts: TS, sessionId: "S", ...draft });
  }
  return builder;
}

const user = (text: string, more: Partial<Extract<EventDraft, { type: "user_message" }>> = {}): EventDraft => ({
  type: "user_message",
  messageId: text,
  text,
  to: [],
  toAll: true,
  attachments: [],
  ...more,
});
const start = (turnId: string, member: string, more = {}): EventDraft => ({
  type: "turn_start",
  turnId,
  member,
  cause: "user",
  messageIds: [],
  depth: 0,
  ...more,
});
const delta = (turnId: string, segmentId: string, text: string): EventDraft => ({
  type: "text_delta",
  turnId,
  member: "claude",
  segmentId,
  text,
});
const end = (turnId: string, more = {}): EventDraft => ({
  type: "turn_end",
  turnId,
  member: "claude",
  outcome: "completed",
  durationMs: 1,
  ...more,
});

test("a user message is due at its event, a turn at its end, each under its file name", () => {
  const builder = buildThreadIndex(
    user("hello"),
    user("psst", {
      to: ["a_b", "claude"],
      toAll: false,
      attachments: [{ name: "x.png", mime: "image/png", blob: { sha256: "0", bytes: 1 } }],
    }),
    start("t1", "a_b"),
    delta("t1", "s1", "one"),
    { type: "text_done", turnId: "t1", member: "a_b", segmentId: "s1", text: "ONE" },
    delta("t1", "s2", "two"),
    delta("t1", "s3", "gone"),
    { type: "text_retracted", turnId: "t1", member: "a_b", segmentId: "s3" },
    start("t2", "claude"),
    end("t1"),
  );
  expect(
    builder.due("council-1").map(({ eventSeq, member, message }) => Object.assign({ eventSeq, member }, message)),
  ).toEqual([
    { eventSeq: 4, member: undefined, from: "king", to: "all", ts: TS, refs: [], body: "hello" },
    { eventSeq: 5, member: undefined, from: "king", to: "a-b, claude", ts: TS, refs: ["x.png"], body: "psst" },
    { eventSeq: 13, member: "a_b", from: "a-b", to: "king", ts: TS, refs: [], body: "ONE\n\ntwo" },
  ]);
  expect(builder.openTurns.map(({ turnId }) => turnId)).toEqual(["t2"]);
});

test("a mirrored message is no longer due, and its file is known as ours under its last number", () => {
  const mirrored = (number: number): EventDraft => ({ type: "mirrored", eventSeq: 4, number, hash: "h" });
  const once = buildThreadIndex(user("hello"), mirrored(1));
  expect(once.due("council-1")).toEqual([]);
  expect([...once.filesOf("council-1")]).toEqual([["0001-king.md", { eventSeq: 4, isOurs: true, hash: "h" }]]);
  expect([...buildThreadIndex(user("hello"), mirrored(1), mirrored(3)).filesOf("council-1")]).toEqual([
    ["0003-king.md", { eventSeq: 4, isOurs: true, hash: "h" }],
  ]);
});

test("a message read from a thread is never due for it, but is for another thread", () => {
  const builder = buildThreadIndex(
    user("theirs", { origin: "kd:council-1/0001-king.md" }),
    start("t1", "claude", { cause: "imported", origin: "kd:council-1/0002-claude.md" }),
    end("t1"),
    user("from elsewhere", { origin: "kd:council-2/0001-king.md" }),
  );
  expect(builder.due("council-1")).toEqual([]);
  expect([...builder.filesOf("council-1").keys()]).toEqual(["0001-king.md", "0002-claude.md"]);
  expect([...builder.filesOf("council-2").keys()]).toEqual(["0001-king.md"]);
});

test("a message of another program whose turn was interrupted here is new and replaces that turn", () => {
  const origin = "kd:council-1/0002-claude.md";
  const cut = buildThreadIndex(
    start("t1", "claude", { cause: "imported", origin }),
    end("t1", { outcome: "interrupted", reason: "restart" }),
  );
  expect([...cut.filesOf("council-1").keys()]).toEqual([]);
  expect(cut.cutTurnOf("claude", origin)).toEqual({ turnId: "t1", origin });
  expect(cut.cutTurnOf("claude", "kd:council-1/0004-claude.md")).toBeUndefined();
});

test("a streamed turn of another program is linked to its message by the log or known as interrupted", () => {
  const streamed = start("t1", "claude", { cause: "imported", origin: "kd:council-1/.stream-claude.jsonl" });
  const open = buildThreadIndex(streamed, delta("t1", "s1", "half"), end("t1"));
  expect(open.due("council-1")).toEqual([]);
  expect(open.unlinked("council-1").map(({ eventSeq, message }) => ({ eventSeq, body: message.body }))).toEqual([
    { eventSeq: 6, body: "half" },
  ]);
  const tied = buildThreadIndex(streamed, end("t1"), { type: "mirrored", eventSeq: 5, number: 2, hash: "h" });
  expect([...tied.filesOf("council-1")]).toEqual([["0002-claude.md", { eventSeq: 5, isOurs: false, hash: "h" }]]);
  const cut = buildThreadIndex(streamed, end("t1", { outcome: "interrupted", reason: "restart" }));
  expect([cut.unlinked("council-1"), cut.cutTurnOf("claude", "kd:council-1/0002-claude.md")?.turnId]).toEqual([
    [],
    "t1",
  ]);
});

test("turns of subagents, questions between members and minutes are not mirrored", () => {
  const builder = buildThreadIndex(
    start("t1", "claude", { depth: 1, cause: "subagent" }),
    end("t1"),
    start("t2", "claude", { cause: "exchange" }),
    end("t2"),
    start("t3", "claude", { cause: "minutes" }),
    end("t3"),
  );
  expect(builder.due("council-1")).toEqual([]);
});

test("new members and settings update the index", () => {
  const builder = buildThreadIndex({ type: "settings_changed", settings: { mirror: null } });
  expect([builder.mirror, builder.nameOf("a_b"), builder.memberOf("a-b"), builder.memberOf("cursor")]).toEqual([
    null,
    "a-b",
    "a_b",
    "cursor",
  ]);
});
