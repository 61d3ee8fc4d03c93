/** Search over everything: messages, sessions, files and changes of all sessions, in a dialog. */
import { Fragment, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { SearchHit, SessionSummary } from "../../protocol/index.ts";
import { inOrder, inPlainSight } from "../format/plain-sight.ts";
import { formatWhen, plural } from "../format/units.ts";
import type { Route } from "../store/route.ts";
import { useApp, useStore } from "../store/use-store.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { formatSearchStatus, type Searched, useSearch } from "./use-search.ts";

const SESSIONS_MAX = 8;
const FILE_KINDS: ReadonlySet<string> = new Set(["call", "output", "diff"]);

interface Row {
  readonly key: string;
  readonly route: Route;
  readonly mark: ReactNode;
  readonly title: ReactNode;
  readonly when: string;
  readonly detail: ReactNode;
}

interface Group {
  readonly title: string;
  readonly rows: readonly Row[];
}

type Scope = "folder" | "all" | "session";

export interface SearchPaletteProps {
  readonly query: string;
  readonly onQuery: (query: string) => void;
  readonly onClose: () => void;
}

export function SearchPalette({ query, onQuery, onClose }: SearchPaletteProps) {
  const store = useStore();
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useId();
  const sessionId = useApp((state) => state.sessionId);
  const cwd = useApp(({ sessions, sessionId: open, planned }) => {
    return sessions.find((one) => one.sessionId === open)?.cwd ?? planned.cwd;
  });
  const [scope, setScope] = useState<Scope>("all");
  const [at, setAt] = useState(0);
  const { words, member } = parseQuery(query);
  const searched = useSearch({
    words,
    ...(member === undefined ? {} : { member }),
    ...(scope === "folder" ? { cwd } : {}),
    ...(scope === "session" && sessionId !== undefined ? { sessionId } : {}),
  });
  const sessions = useSessionMatches(query, scope === "folder" ? cwd : undefined);
  const groups = groupsOf(searched, scope === "session" ? [] : sessions);
  const rows = groups.flatMap((group) => group.rows);
  const chosen = Math.min(at, Math.max(0, rows.length - 1));
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal();
  }, []);
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  function go(row: Row | undefined): void {
    if (row === undefined) return;
    dialog.current?.close();
    store.goTo(row.route);
  }
  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === "ArrowDown") setAt((chosen + 1) % Math.max(1, rows.length));
    else if (event.key === "ArrowUp") setAt((chosen - 1 + rows.length) % Math.max(1, rows.length));
    else if (event.key === "Enter") go(rows[chosen]);
    // In a search field it would only clear the text.
    else if (event.key === "Escape") dialog.current?.close();
    else if (event.key === "Tab" && !event.shiftKey && sessionId !== undefined) {
      setScope(scope === "session" ? "all" : "session");
    } else return;
    event.preventDefault();
  }
  const folder = cwd.slice(cwd.lastIndexOf("/") + 1) || cwd;
  return (
    <dialog ref={dialog} className="palette" aria-label="Search" onClose={onClose}>
      <div className="palette-query">
        <Icon name="search" size="l" />
        <input
          type="search"
          role="combobox"
          aria-label="Search sessions and messages"
          aria-expanded={rows.length > 0}
          aria-controls={list}
          aria-activedescendant={rows.length === 0 ? undefined : `${list}-${chosen}`}
          placeholder="Search sessions and messages"
          value={query}
          autoFocus
          onChange={({ target }) => {
            onQuery(target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <span className="seg" role="group" aria-label="Where to search">
          <button type="button" aria-pressed={scope === "folder"} onClick={() => setScope("folder")}>
            {inPlainSight(folder)}
          </button>
          <button type="button" aria-pressed={scope === "all"} onClick={() => setScope("all")}>
            All folders
          </button>
        </span>
      </div>
      <div className="palette-results" id={list} role="listbox" aria-label="Results" tabIndex={-1}>
        {groups.map(({ title, rows: of }) => (
          <div key={title} role="group" aria-label={title}>
            <div className="group" aria-hidden="true">
              {title}
              <span className="group-count num">{of.length}</span>
            </div>
            {of.map((row) => {
              const index = rows.indexOf(row);
              return (
                <div
                  key={row.key}
                  id={`${list}-${index}`}
                  role="option"
                  aria-selected={index === chosen}
                  className="hit"
                  onPointerMove={() => setAt(index)}
                  onClick={() => go(row)}
                >
                  {row.mark}
                  <span className="hit-title cut" dir="auto">
                    {row.title}
                  </span>
                  <span className="hit-when num">{row.when}</span>
                  <span className="hit-detail cut" dir="auto">
                    {row.detail}
                  </span>
                </div>
              );
            })}
          </div>
        ))}
      </div>
      <div className="palette-foot">
        <span>
          <kbd>↵</kbd> open
        </span>
        {sessionId === undefined ? null : (
          <span>
            <kbd>Tab</kbd> {scope === "session" ? "all sessions" : "only this session"}
          </span>
        )}
        <span>
          <kbd>@</kbd> by member
        </span>
        <span className="grow" />
        <span role="status">{formatSearchStatus(searched, sessions.length)}</span>
      </div>
    </dialog>
  );
}

/** "@claude lease" searches what claude said. */
function parseQuery(query: string): { words: string; member?: string } {
  const [, before = "", member, after = ""] = /^(.*?)(?:^|\s)@([a-z][\w-]*)\s(.*)$/.exec(query) ?? [];
  return member === undefined ? { words: query } : { words: `${before} ${after}`.trim(), member };
}

function useSessionMatches(query: string, cwd: string | undefined): readonly SessionSummary[] {
  const sessions = useApp((state) => state.sessions);
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "" && !word.startsWith("@"));
  return sessions
    .filter((one) => (cwd === undefined || one.cwd === cwd) && fits(one, words))
    .toSorted((a, b) => b.updatedTs - a.updatedTs)
    .slice(0, SESSIONS_MAX);
}

function fits({ sessionId, title, cwd, members, status, problem = "" }: SessionSummary, words: string[]): boolean {
  const text = [sessionId, title, cwd, ...members, status, problem].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

function groupsOf(searched: Searched, sessions: readonly SessionSummary[]): Group[] {
  const answer =
    searched.state === "found" ? searched.answer : searched.state === "asking" ? searched.before : undefined;
  const hits = (answer?.hits ?? []).filter(({ kind }) => kind !== "title");
  const groups = [
    { title: "Messages", rows: hits.filter(({ kind }) => !FILE_KINDS.has(kind)).map(hitRow) },
    { title: "Sessions", rows: sessions.map(sessionRow) },
    { title: "Files and changes", rows: hits.filter(({ kind }) => FILE_KINDS.has(kind)).map(hitRow) },
  ];
  return groups.filter(({ rows }) => rows.length > 0);
}

const KIND_ICONS: Readonly<Record<string, IconName>> = { call: "terminal", output: "terminal", diff: "file-diff" };

function hitRow(hit: SearchHit): Row {
  const { sessionId, seq, eventSeq, kind, title, ts, member, tool } = hit;
  const who = member ?? (kind === "user" ? "You" : "");
  return {
    key: `${sessionId} ${eventSeq} ${kind}`,
    route: { sessionId, seq },
    mark: <Icon name={KIND_ICONS[kind] ?? "quote"} />,
    title: inPlainSight([title === "" ? "Untitled" : title, who, tool].filter(Boolean).join(" · ")),
    when: formatWhen(ts),
    detail: <Marked hit={hit} />,
  };
}

function sessionRow({ sessionId, title, cwd, members, turns, updatedTs }: SessionSummary): Row {
  const folder = cwd.slice(cwd.lastIndexOf("/") + 1) || cwd;
  return {
    key: sessionId,
    route: { sessionId },
    mark: <Icon name="message-square" />,
    title: title === "" ? "Untitled" : inPlainSight(title),
    when: formatWhen(updatedTs),
    detail: inPlainSight(`${folder} · ${plural(members.length, "member")} · ${plural(turns, "answer")}`),
  };
}

function Marked({ hit: { snippet, marks } }: { hit: SearchHit }) {
  return (
    <>
      {marks.map(([from, to], index) => (
        <Fragment key={from}>
          {inOrder(snippet.slice(marks[index - 1]?.[1] ?? 0, from))}
          <mark>{inOrder(snippet.slice(from, to))}</mark>
        </Fragment>
      ))}
      {inOrder(snippet.slice(marks.at(-1)?.[1] ?? 0))}
    </>
  );
}
