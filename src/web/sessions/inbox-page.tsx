/** What needs the user first, of all sessions; then what works and what is ready. */
import { describeRequest } from "../../transcript/index.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import type { WaitingRequest } from "../store/app-state.ts";
import { useApp, useStore } from "../store/use-store.ts";
import { Button } from "../ui/button.tsx";
import { Sign } from "../ui/sign.tsx";
import { formatRowTime, groupSessions, isUnread, stateOf } from "./group-sessions.ts";
import { nameOf } from "./session-menu.tsx";
import { SessionRow } from "./session-row.tsx";
import { useMinute } from "./session-sidebar.tsx";

/** Further requests are shown as a number. */
const CARDS_MAX = 20;

export function InboxPage() {
  const store = useStore();
  const inbox = useApp((state) => state.inbox);
  const sessions = useApp((state) => state.sessions);
  const seen = useApp((state) => state.seen);
  const isLive = useApp(({ connection, ended }) => connection.state === "online" && ended === undefined);
  const nowTs = useMinute();
  const groups = groupSessions(
    sessions.filter(({ archived }) => !archived),
    { nowTs, seen, isLive },
  ).filter(({ title }) => title === "Working" || title === "Ready");
  return (
    <div className="inbox" role="region" aria-label="Inbox" tabIndex={0}>
      <section aria-label="Needs you">
        <h2 className="group">
          Needs you<span className="group-count num">{inbox.length}</span>
        </h2>
        {inbox.length === 0 ? <p className="inbox-empty">Nothing is waiting for you.</p> : null}
        {inbox.slice(0, CARDS_MAX).map((waiting) => (
          <RequestPreview key={waiting.requestId} waiting={waiting} nowTs={nowTs} />
        ))}
        {inbox.length > CARDS_MAX ? <p className="fact inbox-empty">{inbox.length - CARDS_MAX} more.</p> : null}
      </section>
      {groups.map(({ title, sessions: rows }) => (
        <section key={title} aria-label={title}>
          <h2 className="group">
            {title}
            <span className="group-count num">{rows.length}</span>
          </h2>
          <ul>
            {rows.map((summary) => (
              <SessionRow
                key={summary.sessionId}
                summary={summary}
                state={stateOf(summary, { isLive })}
                isCurrent={false}
                isUnread={isUnread(summary, seen)}
                request={undefined}
                nowTs={nowTs}
                onOpen={() => store.goTo({ sessionId: summary.sessionId })}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function RequestPreview({ waiting, nowTs }: { waiting: WaitingRequest; nowTs: number }) {
  const store = useStore();
  const { sessionId, member, request } = waiting;
  const summary = useApp(({ sessions }) => sessions.find((one) => one.sessionId === sessionId));
  const { kind, heading, what } = describeRequest({ member, request });
  const title = kind === "question" ? what : heading;
  const time = summary === undefined ? "" : formatRowTime(summary, "needs", nowTs);
  return (
    <article className="inbox-card" aria-label={inPlainSight(title)}>
      <div className="inbox-top">
        <Sign hue={summary?.members.indexOf(member) ?? -1} size="l" />
        <div className="grow">
          <h3 className="cut" dir="auto">
            {inPlainSight(title)}
          </h3>
          <p className="fact cut" dir="auto">
            {summary === undefined ? "Another session" : nameOf(summary)} · {time}
          </p>
        </div>
      </div>
      {kind === "question" || what === "" ? null : (
        <pre className="inbox-peek" tabIndex={0} dir="auto">
          {inPlainSight(what)}
        </pre>
      )}
      <div className="inbox-go">
        <Button variant="primary" onClick={() => store.goTo({ sessionId })}>
          {kind === "question" ? "Answer" : "Open"}
        </Button>
      </div>
    </article>
  );
}
