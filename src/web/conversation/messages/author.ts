/** Who wrote a message or answered a request, on a team's server. */
import { authorOf, type SeenAs, type SessionSummary, type TeamPerson } from "../../../protocol/index.ts";
import type { UserMessage } from "../../../transcript/index.ts";
import type { AppState } from "../../store/app-state.ts";

type Known = Pick<AppState, "team" | "sessions" | "sessionId">;

/** As whom the open session is read. */
export function seenAsOf({ team, sessions, sessionId = "" }: Known): SeenAs {
  return { me: team?.me.id, owner: ownersOf(sessions).get(sessionId), people: team?.people };
}

/** Undefined for a message of one's own. */
export function messageAuthor({ clientId }: UserMessage, known: Known): string | undefined {
  return authorOf(clientId, seenAsOf(known));
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
