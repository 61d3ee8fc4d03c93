/** What agents of other sessions wait to be answered; the cards of the open one stand above the draft. */
import { useApp } from "../store/use-store.ts";
import type { Place } from "../store/route.ts";
import { inPlainSight } from "../words/plain-sight.ts";

/** More than this many are said as a number. */
const ROWS_MAX = 20;

export function Inbox({ onOpen }: { onOpen: (place: Place) => void }) {
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
                {inPlainSight(request.title)}
              </span>
              <span className="fact" dir="auto">
                {inPlainSight(`${member} in ${titles.get(sessionId) ?? "another session"}`)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
