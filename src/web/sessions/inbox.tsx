/** What agents of other sessions wait to be answered; the cards of the open one stand above the draft. */
import type { UiRequestBody } from "../../protocol/index.ts";
import { describeRequest } from "../../transcript/index.ts";
import { useApp } from "../store/use-store.ts";
import type { Route } from "../store/route.ts";
import { inPlainSight } from "../format/plain-sight.ts";

/** More than this many are said as a number. */
const ROWS_MAX = 20;

/** A question in its own words; what waits for approval in ours. */
function requestLabel(member: string, request: UiRequestBody): string {
  const { kind, heading, what } = describeRequest({ member, request });
  return kind === "question" ? `${member} asks: ${what}` : heading;
}

export function Inbox({ onOpen }: { onOpen: (route: Route) => void }) {
  const inbox = useApp((state) => state.inbox);
  const sessions = useApp((state) => state.sessions);
  const currentId = useApp((state) => state.sessionId);
  const others = inbox.filter(({ sessionId }) => sessionId !== currentId);
  if (others.length === 0) return null;
  const titles = new Map(sessions.map(({ sessionId, title }) => [sessionId, title]));
  return (
    <section className="inbox" aria-label="Waiting for you">
      <h2>Waiting for you · {others.length}</h2>
      <ul>
        {others.slice(0, ROWS_MAX).map(({ sessionId, requestId, member, request }) => (
          <li key={requestId}>
            <button type="button" className="inbox-open" onClick={() => onOpen({ sessionId })}>
              <span className="row-title" dir="auto">
                {inPlainSight(requestLabel(member, request))}
              </span>
              <span className="fact" dir="auto">
                {inPlainSight(`in ${titles.get(sessionId) ?? "another session"}`)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
