/** Pages beside a session: settings, the inbox and the list of sessions, with the bar of phones. */
import { useState } from "react";
import type { GroupKey } from "../sessions/group-sessions.ts";
import { startNew } from "../sessions/session-life.ts";
import { SessionList, SessionsMenu } from "../sessions/session-sidebar.tsx";
import type { OwnPageState } from "../store/app-state.ts";
import { useApp, useStore } from "../store/use-store.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { lazyView } from "../ui/lazy-view.tsx";
import { Logo } from "../ui/logo.tsx";
import { InboxPage } from "./inbox-page.tsx";

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
  const [hasArchived, setArchived] = useState(false);
  const [by, setBy] = useState<GroupKey>("state");
  return (
    <main className="main own-page">
      <header className="bar">
        <BackButton />
        <Logo />
        <h1 className="grow">{page === "inbox" ? "Inbox" : "Sessions"}</h1>
        <IconButton icon="search" label="Search" onClick={onSearch} />
        <IconButton icon="plus" label="New session" onClick={() => startNew(store)} />
        {page === "inbox" ? null : <SessionsMenu {...{ hasArchived, by }} onArchived={setArchived} onBy={setBy} />}
      </header>
      <PageProblem />
      {page === "inbox" ? (
        <InboxPage />
      ) : (
        <SessionList label="All sessions" hasArchived={hasArchived} by={by} onOpen={(route) => store.goTo(route)} />
      )}
    </main>
  );
}

/** Where no sidebar is in sight: to the session that was open. Phones have the bar at the bottom. */
export function BackButton() {
  const store = useStore();
  const sessionId = useApp((state) => state.sessionId);
  return (
    <IconButton
      icon="chevron-left"
      label="Back"
      className="drawer-button"
      onClick={() => store.goTo(sessionId === undefined ? {} : { sessionId })}
    />
  );
}

/** The line of errors above the draft is not in sight here. */
export function PageProblem() {
  const problem = useApp((state) => state.problem);
  if (problem === "") return null;
  return (
    <p className="banner" role="alert">
      {problem}
    </p>
  );
}

/** On phones, below the pages that are not a session. */
function BottomBar() {
  const page = useApp((state) => state.ownPage?.page);
  const waiting = useApp((state) => state.inbox.length);
  if (page === undefined) return null;
  return (
    <nav className="bottom" aria-label="Main">
      <BottomLink icon="inbox" label="Inbox" isCurrent={page === "inbox"} count={waiting} page="inbox" />
      <BottomLink icon="message-square" label="Sessions" isCurrent={page === "sessions"} page="sessions" />
      <ChangesLink />
      <BottomLink icon="settings" label="Settings" isCurrent={page === "settings"} page="settings" />
    </nav>
  );
}

interface BottomLinkProps {
  readonly icon: IconName;
  readonly label: string;
  readonly isCurrent: boolean;
  readonly count?: number;
  readonly page: OwnPageState["page"];
}

function BottomLink({ icon, label, isCurrent, count = 0, page }: BottomLinkProps) {
  const store = useStore();
  return (
    <button
      type="button"
      className="bottom-link"
      aria-current={isCurrent ? "page" : undefined}
      onClick={() => store.goTo({ page })}
    >
      <span className="bottom-icon">
        <Icon name={icon} size="l" />
        {count > 0 ? <span className="dot warn" /> : null}
      </span>
      {label}
      {count > 0 ? <span className="unseen">, {count} waiting</span> : null}
    </button>
  );
}

/** Changes of the session that was open last, or of the newest one. */
function ChangesLink() {
  const store = useStore();
  const sessionId = useApp(
    ({ sessionId: open, sessions }) =>
      open ?? sessions.filter(({ archived }) => !archived).toSorted((a, b) => b.updatedTs - a.updatedTs)[0]?.sessionId,
  );
  if (sessionId === undefined) return null;
  return (
    <button
      type="button"
      className="bottom-link"
      onClick={() => {
        store.goTo({ sessionId });
        store.setPanel({ tab: "changes" });
      }}
    >
      <span className="bottom-icon">
        <Icon name="file-diff" size="l" />
      </span>
      Changes
    </button>
  );
}
