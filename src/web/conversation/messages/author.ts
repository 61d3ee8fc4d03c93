/** Who wrote a message, on a team's server. */
import { authorOf, type SessionSummary, type TeamPerson } from "../../../protocol/index.ts";
import type { UserMessage } from "../../../transcript/index.ts";
import type { AppState } from "../../store/app-state.ts";

type Known = Pick<AppState, "team" | "sessions" | "sessionId">;

/** Undefined for a message of one's own. */
export function messageAuthor(
  { clientId }: UserMessage,
  { team, sessions, sessionId = "" }: Known,
): string | undefined {
  return authorOf(clientId, { me: team?.me.id, owner: ownersOf(sessions).get(sessionId), people: team?.people });
}

const known = new WeakMap<readonly SessionSummary[], ReadonlyMap<string, TeamPerson>>();

/** By session; made once for each list, because every message asks. */
function ownersOf(sessions: readonly SessionSummary[]): ReadonlyMap<string, TeamPerson> {
  const owners =
    known.get(sessions) ??
    new Map(
      sessions.flatMap(({ sessionId, at }) =>
        at === undefined ? [] : [[sessionId, { id: at.personId, name: at.person }]],
      ),
    );
  known.set(sessions, owners);
  return owners;
}
