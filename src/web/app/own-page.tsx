/** Pages beside a session: settings, the inbox and the list of sessions, with the bar of phones. */
import { InboxPage } from "../sessions/inbox-page.tsx";
import { SessionList } from "../sessions/session-sidebar.tsx";
import type { OwnPageState } from "../store/app-state.ts";
import type { Route } from "../store/route.ts";
import { useApp, useStore } from "../store/use-store.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { lazyView } from "../ui/lazy-view.tsx";
import { Logo } from "../ui/logo.tsx";

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
