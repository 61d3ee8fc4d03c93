/** The sidebar: sessions by what they need, search, a new session, archive, trash, inbox and settings. */
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { UiRequestBody } from "../../protocol/index.ts";
import { describeRequest } from "../../transcript/index.ts";
import { useHasKeys } from "../input/focus.ts";
import type { Route } from "../store/route.ts";
import { useApp, useStore } from "../store/use-store.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { lazyView } from "../ui/lazy-view.tsx";
import { Logo } from "../ui/logo.tsx";
import { Menu } from "../ui/menu.tsx";
import { groupSessions, isUnread, type GroupKey, type SessionGroup, stateOf } from "./group-sessions.ts";
import { startNew } from "./session-life.ts";
import { SessionRow } from "./session-row.tsx";

const ImportDialog = lazyView(async () => (await import("./import-dialog.tsx")).ImportDialog);
const TrashDialog = lazyView(async () => (await import("./trash-dialog.tsx")).TrashDialog);

/** Further sessions are found by searching. */
const ROWS_MAX = 200;

const MINUTE_MS = 60_000;
const MODIFIER = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl ";

export interface SessionSidebarProps {
  readonly onSearch: () => void;
  readonly onHide: () => void;
  /** Something was chosen: a drawer closes. */
  readonly onDone: () => void;
}

export function SessionSidebar({ onSearch, onHide, onDone }: SessionSidebarProps) {
  const store = useStore();
  const hasKeys = useHasKeys();
  const [hasArchived, setArchived] = useState(false);
  const [by, setBy] = useState<GroupKey>("state");
  function go(route: Route): void {
    store.goTo(route);
    onDone();
  }
  function startNewHere(): void {
    onDone();
    startNew(store);
  }
  return (
    <aside
      className="side"
      aria-label="Sidebar"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.stopPropagation();
        onDone();
      }}
    >
      <div className="brand">
        <Logo />
        <span className="grow">Roundtable</span>
        <IconButton icon="panel-left" label="Hide sidebar" onClick={onHide} />
        <IconButton icon="plus" label="New session" onClick={startNewHere} />
      </div>
      <button type="button" className="find" onClick={onSearch}>
        <Icon name="search" size="s" />
        <span className="grow">Search</span>
        {hasKeys ? <kbd>{MODIFIER}K</kbd> : null}
      </button>
      <SessionList label="Sessions" hasArchived={hasArchived} by={by} onOpen={go} />
      <SidebarFoot {...{ hasArchived, by }} onArchived={setArchived} onBy={setBy} onGo={go} onDone={onDone} />
    </aside>
  );
}

export interface SessionListProps {
  /** Its name for assistive technology. */
  readonly label: string;
  readonly hasArchived?: boolean;
  readonly by?: GroupKey;
  readonly onOpen: (route: Route) => void;
}

export function SessionList({ label, hasArchived = false, by = "state", onOpen }: SessionListProps) {
  const sessions = useApp((state) => state.sessions);
  const inbox = useApp((state) => state.inbox);
  const currentId = useApp((state) => state.sessionId);
  const ownPage = useApp((state) => state.ownPage);
  const seen = useApp((state) => state.seen);
  const isLive = useIsLive();
  const nowTs = useMinute();
  const listed = sessions.filter((one) => hasArchived || !one.archived || one.sessionId === currentId);
  const shown = listed.toSorted((a, b) => b.updatedTs - a.updatedTs).slice(0, ROWS_MAX);
  const [heldBy, setHeldBy] = useState<string>();
  const isListed = (id: string | undefined) => shown.some(({ sessionId }) => sessionId === id);
  const groups = useSteadyGroups(groupSessions(shown, { nowTs, seen, isLive, by }), isListed(heldBy));
  return (
    <nav className="side-list" aria-label={label} onKeyDown={stepRows}>
      {groups.map(({ title, isByState, sessions: rows }) => (
        <div key={title} role="group" aria-label={title}>
          <h2 className="group">
            {title}
            {isByState ? <span className="group-count num">{rows.length}</span> : null}
          </h2>
          <ul>
            {rows.map((summary) => {
              const first = inbox.find(({ sessionId }) => sessionId === summary.sessionId);
              return (
                <SessionRow
                  key={summary.sessionId}
                  summary={summary}
                  state={rowState(stateOf(summary, { isLive }), title)}
                  isCurrent={ownPage === undefined && summary.sessionId === currentId}
                  isUnread={summary.sessionId !== currentId && isUnread(summary, seen)}
                  request={
                    first === undefined
                      ? undefined
                      : { member: first.member, label: requestLabel(first.member, first.request) }
                  }
                  nowTs={nowTs}
                  onOpen={() => onOpen({ sessionId: summary.sessionId })}
                  onMenu={(isOpen) => setHeldBy(isOpen ? summary.sessionId : undefined)}
                />
              );
            })}
          </ul>
        </div>
      ))}
      {listed.length > shown.length ? (
        <p className="fact side-more">{listed.length - shown.length} more. Search to find them.</p>
      ) : null}
    </nav>
  );
}

/** A short interruption moves no rows. */
const QUIET_MS = 400;

function useIsLive(): boolean {
  const isLive = useApp(({ connection, ended }) => connection.state === "online" && ended === undefined);
  const [isGone, setGone] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setGone(!isLive), isLive ? 0 : QUIET_MS);
    return () => clearTimeout(timer);
  }, [isLive]);
  return isLive || !isGone;
}

/** While the menu of a row is open, every row stays where it is: moving one would close it. */
function useSteadyGroups(groups: readonly SessionGroup[], isHeld: boolean): readonly SessionGroup[] {
  const last = useRef(groups);
  if (!isHeld) last.current = groups;
  if (!isHeld) return groups;
  const latest = new Map(groups.flatMap(({ sessions }) => sessions).map((one) => [one.sessionId, one]));
  return last.current.map(({ title, isByState, sessions }) => {
    return { title, isByState, sessions: sessions.flatMap(({ sessionId }) => latest.get(sessionId) ?? []) };
  });
}

/** A green dot only for what is in the group of that name. */
function rowState(state: ReturnType<typeof stateOf>, title: string) {
  return state === "ready" && title !== "Ready" ? "older" : state;
}

interface SidebarFootProps extends SessionsMenuProps {
  readonly onGo: (route: Route) => void;
}

function SidebarFoot({ onGo, ...menu }: SidebarFootProps) {
  const page = useApp((state) => state.ownPage?.page);
  const waiting = useApp((state) => state.inbox.length);
  return (
    <div className="side-foot">
      <SessionsMenu {...menu} />
      <span className="grow" />
      <IconButton
        icon="inbox"
        label={waiting === 0 ? "Inbox" : `Inbox, ${waiting} waiting`}
        isOn={page === "inbox"}
        onClick={() => onGo({ page: "inbox" })}
      />
      <IconButton
        icon="settings"
        label="Settings"
        isOn={page === "settings"}
        onClick={() => onGo({ page: "settings" })}
      />
    </div>
  );
}

interface SessionsMenuProps {
  readonly hasArchived: boolean;
  readonly onArchived: (hasArchived: boolean) => void;
  readonly by: GroupKey;
  readonly onBy: (by: GroupKey) => void;
  readonly onDone?: () => void;
}

const GROUPS: readonly { readonly key: GroupKey; readonly label: string; readonly icon: IconName }[] = [
  { key: "state", label: "Group by state", icon: "list-checks" },
  { key: "person", label: "Group by person", icon: "users" },
  { key: "machine", label: "Group by machine", icon: "monitor" },
];

/** What concerns the list as a whole. */
export function SessionsMenu({ hasArchived, onArchived, by, onBy, onDone = () => {} }: SessionsMenuProps) {
  const [dialog, setDialog] = useState<"trash" | "import">();
  const close = (): void => setDialog(undefined);
  const isTeam = useApp(({ sessions }) => sessions.some(({ at }) => at !== undefined));
  const groups = GROUPS.map(({ key, ...item }) =>
    Object.assign({ isPressed: by === key, onChoose: () => onBy(key) }, item),
  );
  return (
    <>
      <Menu
        label="More"
        items={[
          ...(isTeam ? groups : []),
          {
            label: "Show archived",
            icon: "archive",
            isPressed: hasArchived,
            onChoose: () => onArchived(!hasArchived),
          },
          { label: "Import…", icon: "upload", onChoose: () => setDialog("import") },
          { label: "Trash", icon: "trash-2", onChoose: () => setDialog("trash") },
        ]}
      />
      {dialog === "trash" ? <TrashDialog onClose={close} onRestored={onDone} /> : null}
      {dialog === "import" ? <ImportDialog onClose={close} onImported={onDone} /> : null}
    </>
  );
}

/** Up and down between rows, right to the menu of a row and left back. */
function stepRows(event: KeyboardEvent<HTMLElement>): void {
  const { key, currentTarget, target } = event;
  if (!(target instanceof HTMLElement) || target.closest(".menu, dialog") !== null) return;
  const row = target.closest(".session-row");
  if (row === null) return;
  const rows = [...currentTarget.querySelectorAll<HTMLElement>(".session-open")];
  const at = rows.findIndex((one) => row.contains(one));
  const next =
    key === "ArrowDown"
      ? rows[at + 1]
      : key === "ArrowUp"
        ? rows[at - 1]
        : key === "ArrowRight"
          ? (row.querySelector<HTMLElement>(".menu-button") ?? undefined)
          : key === "ArrowLeft"
            ? rows[at]
            : undefined;
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

/** The agent's own text for questions, ours for approvals. */
function requestLabel(member: string, request: UiRequestBody): string {
  const { kind, what } = describeRequest({ member, request });
  return kind === "question" ? `${member} asks: ${what}` : `${member} needs approval`;
}

/** The time, by the minute. */
export function useMinute(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
