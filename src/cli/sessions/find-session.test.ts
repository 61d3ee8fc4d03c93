import { expect, test } from "vitest";
import type { SessionSummary } from "../../protocol/index.ts";
import { failureLine, toFailure } from "../../kit/failure.ts";
import { pickSession } from "./find-session.ts";

process.env["TZ"] = "UTC";

const session = (sessionId: string, title: string, more: Partial<SessionSummary> = {}): SessionSummary => ({
  sessionId,
  title,
  cwd: "/project",
  members: [],
  messages: 0,
  turns: 0,
  createdTs: 0,
  updatedTs: 60_000,
  archived: false,
  status: "idle",
  seq: 1,
  ...more,
});

/** The printed error and the exit code. */
function refusal(sessions: readonly SessionSummary[], given: string): [number, string] {
  try {
    return [0, pickSession(sessions, given)];
  } catch (error) {
    const failure = toFailure(error);
    return [failure.exitCode, failureLine(failure)];
  }
}

test("ambiguous sessions are listed, each with a distinguishing part of its id", () => {
  const sessions = [
    session("01M7FK44EMRJDECBWCJBWK5JBB", "the \u001b[31mparser again", { updatedTs: 120_000 }),
    session("01M7FK44EMRJDECBWCJBWX5JBB", `The parser ${"x".repeat(80)}`),
  ];
  expect(refusal(sessions, "parser")).toEqual([
    4,
    `roundtable: "parser" is in the titles of 2 sessions. Give more of the title, or its id. See roundtable sessions list.
  wk5jbb  1970-01-01 00:02  the parser again
  wx5jbb  1970-01-01 00:01  The parser ${"x".repeat(49)}…
`,
  ]);
});

test("at most ten are listed, with the number of others", () => {
  const sessions = Array.from({ length: 13 }, (_, at) => session(`01${String(at).padStart(24, "0")}`, "same"));
  const [code, said] = refusal(sessions, "same");
  expect([code, said.split("\n").length, said.split("\n").at(-2)]).toEqual([4, 13, "  and 3 more"]);
  expect(said.split("\n")[0]).toBe(
    'roundtable: "same" is the title of 13 sessions. Give its id. See roundtable sessions list.',
  );
});

test("a part shared by several ids lists them all with longer ids", () => {
  const sessions = [session("01AAAAAAAAAAAAAAAAAAB5QTBVE", "one"), session("01AAAAAAAAAAAAAAAAAAC5QTBVE", "two")];
  expect(refusal(sessions, "5qtbve")).toEqual([
    4,
    `roundtable: "5qtbve" is part of the id of 2 sessions. Give more of its id. See roundtable sessions list.
  b5qtbve  1970-01-01 00:01  one
  c5qtbve  1970-01-01 00:01  two
`,
  ]);
  expect(refusal(sessions, "b5qtbve")).toEqual([0, "01AAAAAAAAAAAAAAAAAAB5QTBVE"]);
});

test("an unknown id or title is reported", () => {
  expect(refusal([session("01AAAA", "x")], "nope")).toEqual([
    4,
    'roundtable: there is no session "nope". See roundtable sessions list.\n',
  ]);
});
