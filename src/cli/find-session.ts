/** A session by its id or the beginning of it. */
import type { Client } from "../client/index.ts";
import type { SessionSummary } from "../protocol/index.ts";
import { isUlid } from "../kit/ids.ts";
import { exitCodes } from "./exit-codes.ts";
import { Failure } from "./failure.ts";

const LIST_HINT = "See roundtable sessions list";

/** A full id is taken as it is, so that a session missing from the list can still be reached. */
export async function findSession(client: Client, given: string): Promise<string> {
  const wanted = given.trim().toUpperCase();
  if (isUlid(wanted)) return wanted;
  return pickSession(await client.list(), given);
}

function pickSession(sessions: readonly SessionSummary[], given: string): string {
  const wanted = given.trim().toUpperCase();
  const found = wanted === "" ? [] : sessions.filter((one) => one.sessionId.startsWith(wanted));
  const [first] = found;
  if (first === undefined) {
    throw new Failure(exitCodes.noSuchSession, "unknown_session", `there is no session "${given}"`, {
      hint: LIST_HINT,
    });
  }
  if (found.length > 1) {
    const message = `"${given}" is the beginning of ${found.length} sessions`;
    throw new Failure(exitCodes.noSuchSession, "ambiguous_session", message, {
      hint: `Give more of its id. ${LIST_HINT}`,
    });
  }
  return first.sessionId;
}
