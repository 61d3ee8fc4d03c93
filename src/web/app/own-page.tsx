/** Pages beside a session: settings, the inbox and the list of sessions, with the bar of phones. */
import { SessionList, useMinute } from "../sessions/session-sidebar.tsx";
import type { OwnPageState, WaitingRequest } from "../store/app-state.ts";
import type { Route } from "../store/route.ts";
import { useApp, useStore } from "../store/use-store.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { lazyView } from "../ui/lazy-view.tsx";
import { Logo } from "../ui/logo.tsx";
import { describeRequest } from "../../transcript/index.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { Sign } from "../ui/sign.tsx";
import { formatRowTime, groupSessions, isUnread, stateOf } from "../sessions/group-sessions.ts";
import { nameOf } from "../sessions/session-menu.tsx";
import { SessionRow } from "../sessions/session-row.tsx";

const SettingsPage = lazyView(async () => (await import("../settings/settings-page.tsx")).SettingsPage);

export function OwnPage({ page, section, onSearch }: OwnPageState & { readonly onSearch: () => void }) {
  return (
    <>
      {page === "settings" ? <SettingsPage section={section} /> : <ListPage page={page} onSearch={onSearch} />}
      <BottomBar />
    </>
  );
}

function ListPage({ page, onSearch }: { readonly page: "inbox" | "sessions"; readonly onSearch: () => void }) {
  const store = useStore();
  return (
    <main className="main own-page">
      <header className="bar">
        <Logo />
        <h1 className="grow">{page === "inbox" ? "Inbox" : "Sessions"}</h1>
        <IconButton icon="search" label="Search" onClick={onSearch} />
        <IconButton icon="plus" label="New session" onClick={() => store.goTo({})} />
      </header>
      {page === "inbox" ? <InboxPage /> : <SessionList hasArchived onOpen={(route) => store.goTo(route)} />}
    </main>
  );
}

const TABS: readonly { readonly label: string; readonly icon: IconName; readonly route: Route }[] = [
  { label: "Inbox", icon: "inbox", route: { page: "inbox" } },
  { label: "Sessions", icon: "message-square", route: { page: "sessions" } },
  { label: "Settings", icon: "settings", route: { page: "settings" } },
];

/** On phones, below the pages that are not a session. */
function BottomBar() {
  const store = useStore();
  const page = useApp((state) => state.ownPage?.page);
  if (page === undefined) return null;
  return (
    <nav className="bottom" aria-label="Main">
      {TABS.map(({ label, icon, route }) => (
        <button
          key={label}
          type="button"
          className="bottom-link"
          aria-current={route.page === page ? "page" : undefined}
          onClick={() => store.goTo(route)}
        >
          <Icon name={icon} size="l" />
          {label}
        </button>
      ))}
    </nav>
  );
}

/** Further requests are shown as a number. */
const CARDS_MAX = 20;

function InboxPage() {
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
