/** Finds a session by id, part of an id, title or part of a title. */
import { matchSessions, type Client } from "../../client/index.ts";
import { isUlid } from "../../kit/ids.ts";
import { shortId, shortIdLength } from "../../kit/short-id.ts";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { SessionSummary } from "../../protocol/index.ts";
import { exitCodes } from "../../kit/exit-codes.ts";
import { Failure } from "../../kit/failure.ts";
import { localTime } from "../terminal/format.ts";

const LIST_HINT = "See roundtable sessions list";
/** Candidates listed for an ambiguous name. */
const NAMED_MAX = 10;
const TITLE_CHARS_MAX = 60;

/** A full id is not looked up, so that a session missing from the list can still be reached. */
export async function findSession(client: Pick<Client, "list">, given: string): Promise<string> {
  const wanted = given.trim().toUpperCase();
  if (isUlid(wanted)) return wanted;
  return pickSession(await client.list(), given);
}

interface SearchedList {
  /** Added to the message. */
  readonly where: string;
  readonly hint: string;
}

const HERE: SearchedList = { where: "", hint: LIST_HINT };

export function noSuchSession(given: string, { where, hint }: SearchedList = HERE): Failure {
  return new Failure(exitCodes.noSuchSession, "unknown_session", `there is no session "${given}"${where}`, { hint });
}

/** Throws a Failure when there is no match, or lists the candidates. */
export function pickSession(sessions: readonly SessionSummary[], given: string, list: SearchedList = HERE): string {
  const { sessions: matches, by } = matchSessions(sessions, given);
  const [first] = matches;
  if (first === undefined) throw noSuchSession(given, list);
  if (matches.length === 1) return first.sessionId;
  const what = { id: "is part of the id of", title: "is the title of", part: "is in the titles of" }[by];
  const more =
    by === "part" ? "Give more of the title, or its id" : by === "id" ? "Give more of its id" : "Give its id";
  throw new Failure(exitCodes.noSuchSession, "ambiguous_session", `"${given}" ${what} ${matches.length} sessions`, {
    hint: `${more}. ${list.hint}`,
    lines: candidateLines(matches),
  });
}

/** One line each, with the shortest unique id. */
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

/** The most recently updated session of a directory. */
export function newestIn(sessions: readonly SessionSummary[], cwd: string): SessionSummary | undefined {
  return sessions
    .filter((one) => one.cwd === cwd && !one.archived)
    .reduce<SessionSummary | undefined>(
      (best, one) => (best === undefined || one.updatedTs > best.updatedTs ? one : best),
      undefined,
    );
}

export function noLastSession(cwd: string): Failure {
  return new Failure(exitCodes.noSuchSession, "unknown_session", `there is no session in ${cwd} to continue`, {
    hint: "Remove -c to start a new one; roundtable sessions list shows sessions of other directories",
  });
}
