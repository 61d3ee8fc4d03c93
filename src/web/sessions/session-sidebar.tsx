/** The sessions, newest first: search, open, create, rename and archive. */
import { type RefObject, useState } from "react";
import type { SessionSummary, UiRequestBody } from "../../protocol/index.ts";
import { describeRequest } from "../../transcript/index.ts";
import { NotifySwitch } from "../app/attention.tsx";
import { ThemeSwitch } from "../app/theme.tsx";
import { inPlainSight } from "../format/plain-sight.ts";
import { SearchResults, useSearch } from "../search/search-results.tsx";
import type { Route } from "../store/route.ts";
import { useApp, useStore } from "../store/use-store.ts";
import { SessionRow } from "./session-row.tsx";
import { TrashDialog } from "./trash-dialog.tsx";

/** Further requests are shown as a number. */
const INBOX_ROWS_MAX = 20;

/** Further sessions are found by searching. */
const ROWS_MAX = 200;

export interface SessionSidebarProps {
  readonly search: RefObject<HTMLInputElement | null>;
  /** Text of the search field. */
  readonly query: string;
  readonly onQuery: (query: string) => void;
  /** Something was chosen: on a phone the drawer closes. */
  readonly onDone: () => void;
}

export function SessionSidebar({ search, query, onQuery, onDone }: SessionSidebarProps) {
  const store = useStore();
  const sessions = useApp((state) => state.sessions);
  const currentId = useApp((state) => state.sessionId);
  const [hasArchived, setArchived] = useState(false);
  const matches = sessions
    .filter((one) => hasArchived || !one.archived || one.sessionId === currentId)
    .filter((one) => fits(one, query))
    .toSorted((a, b) => b.updatedTs - a.updatedTs);
  const shown = matches.slice(0, ROWS_MAX);
  const searched = useSearch(query);
  function go(route: Route): void {
    store.goTo(route);
    onDone();
  }
  return (
    <nav
      className="sessions"
      aria-label="Sessions"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onQuery("");
        onDone();
      }}
    >
      <SidebarTop onNew={() => go({})} />
      <input
        ref={search}
        type="search"
        placeholder="Find sessions or words"
        aria-label="Find a session, or words in any"
        value={query}
        onChange={({ target }) => onQuery(target.value)}
        onKeyDown={({ key }) => {
          const route = firstRoute(shown, searched);
          if (key === "Enter" && route !== undefined) go(route);
        }}
      />
      <Inbox onOpen={go} />
      <SessionList shown={shown} onOpen={go} />
      <p className="fact" aria-live="polite">
        {listHint({ query, total: matches.length, shown: shown.length })}
      </p>
      <SearchResults searched={searched} onOpen={go} />
      <SidebarFoot hasArchived={hasArchived} onArchived={setArchived} onRestored={onDone} />
    </nav>
  );
}

interface SessionListProps {
  readonly shown: readonly SessionSummary[];
  readonly onOpen: (route: Route) => void;
}

function SessionList({ shown, onOpen }: SessionListProps) {
  const currentId = useApp((state) => state.sessionId);
  const seen = useApp((state) => state.seen);
  const isLive = useApp(({ connection, ended }) => connection.state === "online" && ended === undefined);
  return (
    <ul>
      {shown.map((summary) => (
        <SessionRow
          key={summary.sessionId}
          summary={summary}
          isCurrent={summary.sessionId === currentId}
          isUnread={summary.sessionId !== currentId && summary.seq > (seen.get(summary.sessionId) ?? Infinity)}
          isLive={isLive}
          onOpen={() => onOpen({ sessionId: summary.sessionId })}
        />
      ))}
    </ul>
  );
}

function listHint({ query, total, shown }: { query: string; total: number; shown: number }): string {
  if (shown === 0 && query !== "") return "No session of that name.";
  return total > shown ? `${total - shown} more; search to find them.` : "";
}

function SidebarTop({ onNew }: { onNew: () => void }) {
  return (
    <div className="sessions-top">
      <span className="brand">
        <span aria-hidden="true">◎ </span>Roundtable
      </span>
      <button type="button" className="btn sm new-session" onClick={onNew}>
        New session
      </button>
    </div>
  );
}

interface SidebarFootProps {
  readonly hasArchived: boolean;
  readonly onArchived: (hasArchived: boolean) => void;
  readonly onRestored: () => void;
}

function SidebarFoot({ hasArchived, onArchived, onRestored }: SidebarFootProps) {
  const [hasTrash, setTrash] = useState(false);
  return (
    <div className="sessions-bottom">
      <label className="fact">
        <input type="checkbox" checked={hasArchived} onChange={({ target }) => onArchived(target.checked)} /> Archived
      </label>
      <button type="button" className="btn sm quiet" aria-haspopup="dialog" onClick={() => setTrash(true)}>
        Trash
      </button>
      {hasTrash ? <TrashDialog onClose={() => setTrash(false)} onRestored={onRestored} /> : null}
      <NotifySwitch />
      <ThemeSwitch />
    </div>
  );
}

/** Target of Enter: the first matching session, else the first hit. */
function firstRoute(shown: readonly SessionSummary[], searched: ReturnType<typeof useSearch>): Route | undefined {
  const [first] = shown;
  if (first !== undefined) return { sessionId: first.sessionId };
  const [hit] = searched.state === "found" ? searched.answer.hits : [];
  return hit === undefined ? undefined : { sessionId: hit.sessionId, seq: hit.seq };
}

function fits({ sessionId, title, cwd, members, status, problem = "" }: SessionSummary, query: string): boolean {
  const text = [sessionId, title, cwd, ...members, status, problem].join("\n").toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/**
 * Label of a request of another session: the agent's own text for questions, ours for approvals. Requests of the open
 * session have cards.
 */
function requestLabel(member: string, request: UiRequestBody): string {
  const { kind, heading, what } = describeRequest({ member, request });
  return kind === "question" ? `${member} asks: ${what}` : heading;
}

function Inbox({ onOpen }: { onOpen: (route: Route) => void }) {
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
        {others.slice(0, INBOX_ROWS_MAX).map(({ sessionId, requestId, member, request }) => (
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
