/** Who wrote a message, on a team's server. */
import { authorOf, type SessionSummary } from "../../../protocol/index.ts";
import type { UserMessage } from "../../../transcript/index.ts";
import type { AppState } from "../../store/app-state.ts";

type Known = Pick<AppState, "me" | "sessions" | "sessionId">;

/** Undefined for a message of one's own. */
export function messageAuthor({ clientId }: UserMessage, { me, sessions, sessionId = "" }: Known): string | undefined {
  return authorOf(clientId, { me, owner: ownersOf(sessions).get(sessionId) });
}

const known = new WeakMap<readonly SessionSummary[], ReadonlyMap<string, string>>();

/** By session; made once for each list, because every message asks. */
function ownersOf(sessions: readonly SessionSummary[]): ReadonlyMap<string, string> {
  const owners =
    known.get(sessions) ??
    new Map(sessions.flatMap(({ sessionId, at }) => (at === undefined ? [] : [[sessionId, at.person]])));
  known.set(sessions, owners);
  return owners;
}
