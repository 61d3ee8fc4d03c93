import { expect, test } from "vitest";
import type { SessionSummary } from "../../protocol/index.ts";
import { formatRowTime, groupSessions, stateOf } from "./group-sessions.ts";

const nowTs = new Date(2026, 10, 18, 14, 30).getTime();
const at = (month: number, day: number, hour: number) => new Date(2026, month - 1, day, hour).getTime();

function summary(sessionId: string, rest: Partial<SessionSummary> = {}): SessionSummary {
  return {
    sessionId,
    title: sessionId,
    cwd: "/work",
    members: ["claude"],
    messages: 1,
    turns: 1,
    createdTs: 0,
    updatedTs: nowTs,
    archived: false,
    status: "idle",
    seq: 10,
    ...rest,
  };
}

const titles = (sessions: readonly SessionSummary[], seen = new Map<string, number>(), isLive = true) =>
  groupSessions(sessions, { nowTs, seen, isLive }).map(({ title, sessions: of }) =>
    [title].concat(of.map(({ sessionId }) => sessionId)),
  );

test("what waits comes first, then what works, what is ready, and the rest by day, newest first", () => {
  const sessions = [
    summary("old", { updatedTs: at(9, 3, 12) }),
    summary("monday", { updatedTs: at(11, 16, 9) }),
    summary("late yesterday", { updatedTs: at(11, 17, 23) }),
    summary("yesterday", { updatedTs: at(11, 17, 1) }),
    summary("ready", { updatedTs: at(11, 18, 0) }),
    summary("works", { status: "running" }),
    summary("waits and works", { status: "running", waiting: 2 }),
    summary("stopped", { status: "interrupted", updatedTs: at(11, 18, 3) }),
    summary("put away", { archived: true, updatedTs: at(11, 18, 4) }),
  ];
  expect(titles(sessions)).toEqual([
    ["Needs you", "waits and works"],
    ["Working", "works"],
    ["Ready", "ready"],
    ["Today", "stopped"],
    ["Yesterday", "late yesterday", "yesterday"],
    ["Last 7 days", "monday"],
    ["September 2026", "old"],
    ["Archived", "put away"],
  ]);
});

test("an older answer that was not read is ready; without a connection nobody is said to work or to wait", () => {
  const unread = summary("unread", { updatedTs: at(11, 10, 9), seq: 12 });
  expect(titles([unread], new Map([["unread", 11]]))).toEqual([["Ready", "unread"]]);
  expect(titles([unread], new Map([["unread", 12]]))).toEqual([["November 2026", "unread"]]);
  expect(titles([summary("works", { status: "running", waiting: 1 })], new Map(), false)).toEqual([["Ready", "works"]]);
  expect(stateOf(summary("torn", { problem: "it cannot be read", waiting: 1 }), { isLive: true })).toBe("damaged");
});

test("a row says how long something waits, the time of today, the weekday, the date", () => {
  const time = (ts: number, state: Parameters<typeof formatRowTime>[1]) =>
    formatRowTime(summary("a", { updatedTs: ts }), state, nowTs);
  expect(time(nowTs - 20_000, "working")).toBe("now");
  expect(time(nowTs - 9.5 * 60_000, "needs")).toBe("9 min");
  expect(time(at(11, 18, 11), "ready")).toMatch(/^11:00/);
  expect(time(at(11, 16, 11), "older")).toBe("Mon");
  expect(time(at(9, 3, 11), "older")).toMatch(/^(?:3 Sept?|Sep 3)$/);
});
