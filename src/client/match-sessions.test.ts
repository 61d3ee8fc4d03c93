import { expect, test } from "vitest";
import type { SessionSummary } from "../protocol/index.ts";
import { matchSessions } from "./match-sessions.ts";

const session = (sessionId: string, title: string, more: Partial<SessionSummary> = {}): SessionSummary => ({
  sessionId,
  title,
  cwd: "/project",
  members: ["ada"],
  messages: 2,
  turns: 1,
  createdTs: 1,
  updatedTs: 1,
  archived: false,
  status: "idle",
  seq: 4,
  ...more,
});

const SESSIONS = [
  session("01AAAA", "The parser"),
  session("01AABB", "the parser again", { updatedTs: 5 }),
  session("02CCCC", "Docs"),
  session("02CCDD", "docs", { updatedTs: 9 }),
  session("03EEEE", "Old notes", { archived: true }),
  session("03FFFF", "Old notes", { archived: true, updatedTs: 3 }),
  session("04GGGG", "notes of today"),
];

const sessions = (given: string) => {
  const match = matchSessions(SESSIONS, given);
  return [match.by, ...match.sessions.map(({ sessionId }) => sessionId)];
};

test("a session matches by the start or end of its id, its title, a part of its title, then any part of its id", () => {
  expect([sessions("01AAA"), sessions(" 02cccc "), sessions("The parser"), sessions("Docs")]).toEqual([
    ["id", "01AAAA"],
    ["id", "02CCCC"],
    ["title", "01AAAA"],
    ["title", "02CCCC"],
  ]);
  expect([sessions("THE PARSER"), sessions("again"), sessions("today")]).toEqual([
    ["title", "01AAAA"],
    ["part", "01AABB"],
    ["part", "04GGGG"],
  ]);
  expect([sessions("ccdd"), sessions("gg"), sessions("2ccd"), sessions("aaa")]).toEqual([
    ["id", "02CCDD"],
    ["id", "04GGGG"],
    ["id", "02CCDD"],
    ["id", "01AAAA"],
  ]);
});

test("an ambiguous name matches all candidates, newest first; archived ones only if no other matches", () => {
  expect([sessions("01"), sessions("parser"), sessions("DOCS"), sessions("notes"), sessions("old")]).toEqual([
    ["id", "01AABB", "01AAAA"],
    ["part", "01AABB", "01AAAA"],
    ["title", "02CCDD", "02CCCC"],
    ["part", "04GGGG"],
    ["part", "03FFFF", "03EEEE"],
  ]);
  expect([sessions("nothing"), sessions(""), sessions("  ")]).toEqual([["part"], ["part"], ["part"]]);
});

test("a title that matches the beginning of several ids is still a title", () => {
  const sessions = [...SESSIONS, session("09ZZZZ", "02")];
  expect(matchSessions(sessions, "02").sessions.map(({ sessionId }) => sessionId)).toEqual(["09ZZZZ"]);
});
