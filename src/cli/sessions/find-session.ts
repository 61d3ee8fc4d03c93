/** A session by its id, a part of it, its title or a part of that. */
import { matchSessions, type Client } from "../../client/index.ts";
import { isUlid } from "../../kit/ids.ts";
import { shortId, shortIdLength } from "../../kit/short-id.ts";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { SessionSummary } from "../../protocol/index.ts";
import { exitCodes } from "../../kit/exit-codes.ts";
import { Failure } from "../../kit/failure.ts";
import { localTime } from "../terminal/local-time.ts";

const LIST_HINT = "See roundtable sessions list";
/** Of the sessions that could be meant, this many are named. */
const NAMED_MAX = 10;
const TITLE_CHARS_MAX = 60;

/** A full id is taken as it is, so that a session missing from the list can still be reached. */
export async function findSession(client: Pick<Client, "list">, given: string): Promise<string> {
  const wanted = given.trim().toUpperCase();
  if (isUlid(wanted)) return wanted;
  return pickSession(await client.list(), given);
}

/** Throws a Failure that says there is none, or names those that could be meant. */
export function pickSession(sessions: readonly SessionSummary[], given: string): string {
  const { sessions: matches, by } = matchSessions(sessions, given);
  const [first] = matches;
  if (first === undefined) {
    throw new Failure(exitCodes.noSuchSession, "unknown_session", `there is no session "${given}"`, {
      hint: LIST_HINT,
    });
  }
  if (matches.length === 1) return first.sessionId;
  const what = { id: "is part of the id of", title: "is the title of", part: "is in the titles of" }[by];
  const more =
    by === "part" ? "Give more of the title, or its id" : by === "id" ? "Give more of its id" : "Give its id";
  throw new Failure(exitCodes.noSuchSession, "ambiguous_session", `"${given}" ${what} ${matches.length} sessions`, {
    hint: `${more}. ${LIST_HINT}`,
    lines: candidateLines(matches),
  });
}

/** Each with as much of its id as tells them apart. */
function candidateLines(matches: readonly SessionSummary[]): string[] {
  const named = matches.slice(0, NAMED_MAX);
  const length = shortIdLength(matches.map((one) => one.sessionId));
  const lines = named.map(({ sessionId, updatedTs, title, archived }) => {
    const safe = terminalSafeLine(title);
    const shown = safe.length > TITLE_CHARS_MAX ? `${safe.slice(0, TITLE_CHARS_MAX)}…` : safe;
    return `${shortId(sessionId, length)}  ${localTime(updatedTs)}  ${shown}${archived ? " (archived)" : ""}`;
  });
  return matches.length > named.length ? [...lines, `and ${matches.length - named.length} more`] : lines;
}
