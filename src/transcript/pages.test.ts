import { expect, test } from "vitest";
import { ended, said, started } from "../../test/generate/drafts.ts";
import { stamped } from "../../test/generate/stamped.ts";
import type { EventDraft } from "../protocol/index.ts";
import { empty } from "./empty.ts";
import { PAGE_SIZE, type Transcript } from "./model.ts";
import { fold } from "./fold.ts";
import { messageAt } from "./selectors/messages.ts";

const play = (...drafts: EventDraft[]) => fold(empty("session"), stamped(drafts));
const notices = (count: number): EventDraft[] =>
  Array.from({ length: count }, () => ({ type: "warning", code: "x", message: "y" }));
const sizes = ({ frozen, live }: Transcript) => [frozen.length, live.map((page) => page.messages.length)];
const answered = (messageId: string): EventDraft => ({
  type: "message_delivery",
  messageId,
  member: "claude",
  state: "answered",
});
const answering = (messageId: string): EventDraft => ({
  type: "message_delivery",
  messageId,
  member: "claude",
  state: "answering",
});

test("[T48] messages fill pages of PAGE_SIZE in order", () => {
  expect(sizes(play(...notices(PAGE_SIZE)))).toStrictEqual([0, [PAGE_SIZE]]);
  expect(sizes(play(...notices(2 * PAGE_SIZE + 1)))).toStrictEqual([0, [PAGE_SIZE, PAGE_SIZE, 1]]);
});

test("[T49] a full page freezes when the latest user message lies behind it, all full pages before it at once", () => {
  expect(sizes(play(said("m1", []), ...notices(2 * PAGE_SIZE)))).toStrictEqual([0, [PAGE_SIZE, PAGE_SIZE, 1]]);
  expect(sizes(play(...notices(PAGE_SIZE - 1), said("m1", [])))).toStrictEqual([0, [PAGE_SIZE]]);
  expect(sizes(play(...notices(2 * PAGE_SIZE), said("m1", [])))).toStrictEqual([2, [1]]);
});

test("[T49] a page with an open turn does not freeze, nor do those after it, until the turn ends", () => {
  const open = [started("t1", "claude"), ...notices(2 * PAGE_SIZE), said("m1", [])];
  expect(sizes(play(...open))).toStrictEqual([0, [PAGE_SIZE, PAGE_SIZE, 2]]);
  expect(sizes(play(...open, ended("t1", "claude")))).toStrictEqual([2, [2]]);
});

test("[T49] a page with an unsettled delivery does not freeze until it has settled", () => {
  const open = [said("m1", ["claude"]), answering("m1"), ...notices(PAGE_SIZE), said("m2", [])];
  expect(sizes(play(...open))).toStrictEqual([0, [PAGE_SIZE, 2]]);
  expect(sizes(play(...open, answered("m1")))).toStrictEqual([1, [2]]);
});

test("[T49] a page with a turn whose request is open does not freeze until it is closed", () => {
  const asks: EventDraft = {
    type: "ui_request",
    requestId: "r1",
    turnId: "t1",
    member: "claude",
    request: { method: "input", title: "Name" },
    timeoutMs: 1,
    default: null,
  };
  const open = [started("t1", "claude"), asks, ended("t1", "claude"), ...notices(PAGE_SIZE), said("m1", [])];
  expect(sizes(play(...open))).toStrictEqual([0, [PAGE_SIZE, 2]]);
  const closed = play(...open, { type: "ui_cancelled", requestId: "r1", reason: "expired" });
  expect(sizes(closed)).toStrictEqual([1, [2]]);
  expect(messageAt(closed, 0)).toMatchObject({ blocks: [{ state: "expired" }] });
});

test("[T20] a retry of a turn in a frozen page is appended and still names what it replaced", () => {
  const old = [started("t1", "claude"), ended("t1", "claude"), ...notices(PAGE_SIZE), said("m1", [])];
  const transcript = play(...old, started("t2", "claude", { replaces: "t1" }));
  expect(sizes(transcript)).toStrictEqual([1, [3]]);
  expect(messageAt(transcript, 0)).toMatchObject({ turnId: "t1" });
  expect(messageAt(transcript, PAGE_SIZE + 2)).toMatchObject({ turnId: "t2", replaced: ["t1"] });
});

test("[T49] events too late for a frozen page are ignored or become a notice, and the page is unchanged", () => {
  const exchange: EventDraft = {
    type: "agent_message",
    turnId: "t1",
    agentExchangeId: "x1",
    member: "claude",
    to: "codex",
    text: "?",
    wait: false,
  };
  const old = [
    said("m0", ["claude"]),
    answered("m0"),
    started("t1", "claude"),
    exchange,
    ended("t1", "claude"),
    ...notices(PAGE_SIZE),
    said("m1", []),
  ];
  const before = play(...old);
  const late: EventDraft[] = [
    answering("m0"),
    { type: "agent_callback_result", agentExchangeId: "x1", member: "codex", ok: true, text: "!" },
  ];
  const after = fold(before, stamped(late, before.head.seq));
  expect(after.frozen[0]).toBe(before.frozen[0]);
  expect(after.head.deliveries).toStrictEqual({});
  expect(messageAt(after, after.head.messageCount - 1)).toMatchObject({
    kind: "notice",
    event: { type: "agent_callback_result" },
  });
});
