/** Search over everything: messages, sessions, files and changes of all sessions, in a dialog. */
import { Fragment, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { SearchAnswer, SearchHit, SearchQuery, SessionSummary } from "../../protocol/index.ts";
import { inOrder, inPlainSight } from "../format/plain-sight.ts";
import { formatWhen, plural } from "../format/units.ts";
import type { Route } from "../store/route.ts";
import { useApp, useStore } from "../store/use-store.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Sign } from "../ui/sign.tsx";

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
  const [scope, setScope] = useState<Scope>("all");
  const [at, setAt] = useState(0);
  const { groups, status, cwd, sessionId } = useResults(query, scope);
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
        <ScopeSwitch scope={scope} folder={folderName(cwd)} onScope={setScope} />
      </div>
      <Results {...{ list, groups, chosen }} onPoint={setAt} onChoose={go} />
      <PaletteFoot scope={scope} hasSession={sessionId !== undefined} status={status} />
    </dialog>
  );
}

function useResults(query: string, scope: Scope) {
  const sessionId = useApp((state) => state.sessionId);
  const cwd = useApp(({ sessions, sessionId: open, planned }) => {
    return sessions.find((one) => one.sessionId === open)?.cwd ?? planned.cwd;
  });
  const { text, member } = parseQuery(query);
  const searched = useSearch({
    text,
    ...(member === undefined ? {} : { member }),
    ...(scope === "folder" ? { cwd } : {}),
    ...(scope === "session" && sessionId !== undefined ? { sessionId } : {}),
  });
  const sessions = useSessionMatches(query, scope === "folder" ? cwd : undefined);
  const groups = groupsOf(searched, scope === "session" ? [] : sessions);
  return { groups, status: formatSearchStatus(searched, sessions.length), cwd, sessionId };
}

interface ResultsProps {
  readonly list: string;
  readonly groups: readonly Group[];
  readonly chosen: number;
  readonly onPoint: (index: number) => void;
  readonly onChoose: (row: Row) => void;
}

function Results({ list, groups, chosen, onPoint, onChoose }: ResultsProps) {
  const rows = groups.flatMap((group) => group.rows);
  return (
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
                onPointerMove={() => onPoint(index)}
                onClick={() => onChoose(row)}
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
  );
}

interface ScopeSwitchProps {
  readonly scope: Scope;
  readonly folder: string;
  readonly onScope: (scope: Scope) => void;
}

function ScopeSwitch({ scope, folder, onScope }: ScopeSwitchProps) {
  return (
    <span className="seg" role="group" aria-label="Where to search">
      <button type="button" aria-pressed={scope === "folder"} onClick={() => onScope("folder")}>
        {inPlainSight(folder)}
      </button>
      <button type="button" aria-pressed={scope === "all"} onClick={() => onScope("all")}>
        All folders
      </button>
    </span>
  );
}

interface PaletteFootProps {
  readonly scope: Scope;
  readonly hasSession: boolean;
  readonly status: string;
}

function PaletteFoot({ scope, hasSession, status }: PaletteFootProps) {
  return (
    <div className="palette-foot">
      <span>
        <kbd>↵</kbd> open
      </span>
      {!hasSession ? null : (
        <span>
          <kbd>Tab</kbd> {scope === "session" ? "all sessions" : "only this session"}
        </span>
      )}
      <span>
        <kbd>@</kbd> by member
      </span>
      <span className="grow" />
      <span role="status">{status}</span>
    </div>
  );
}

function folderName(cwd: string): string {
  return cwd.slice(cwd.lastIndexOf("/") + 1) || cwd;
}

/** "@claude lease" searches what claude said. */
function parseQuery(query: string): { text: string; member?: string } {
  const [, before = "", member, after = ""] = /^(.*?)(?:^|\s)@([a-z][\w-]*)\s(.*)$/.exec(query) ?? [];
  return member === undefined ? { text: query } : { text: `${before} ${after}`.trim(), member };
}

function useSessionMatches(query: string, cwd: string | undefined): readonly SessionSummary[] {
  const sessions = useApp((state) => state.sessions);
  const terms = query
    .toLowerCase()
    .split(/\s+/)
    .filter((term) => term !== "" && !term.startsWith("@"));
  return sessions
    .filter((one) => (cwd === undefined || one.cwd === cwd) && fits(one, terms))
    .toSorted((a, b) => b.updatedTs - a.updatedTs)
    .slice(0, SESSIONS_MAX);
}

function fits({ sessionId, title, cwd, members, status, problem = "" }: SessionSummary, terms: string[]): boolean {
  const text = [sessionId, title, cwd, ...members, status, problem].join("\n").toLowerCase();
  return terms.every((term) => text.includes(term));
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
  const { sessionId, seq, eventSeq, kind, title, ts, member, tool, snippet, marks } = hit;
  const who = member ?? (kind === "user" ? "You" : "");
  return {
    key: `${sessionId} ${eventSeq} ${kind}`,
    route: { sessionId, seq, terms: [...new Set(marks.map(([from, to]) => snippet.slice(from, to)))] },
    mark: <HitMark hit={hit} />,
    title: inPlainSight([title === "" ? "Untitled" : title, who, tool].filter(Boolean).join(" · ")),
    when: formatWhen(ts),
    detail: <Marked hit={hit} />,
  };
}

/** The member's sign for what it said, a symbol for everything else. */
function HitMark({ hit: { sessionId, kind, member = "" } }: { hit: SearchHit }) {
  const hue =
    useApp(({ sessions }) => sessions.find((one) => one.sessionId === sessionId)?.members.indexOf(member)) ?? -1;
  if (hue >= 0 && kind !== "user" && !FILE_KINDS.has(kind)) return <Sign hue={hue} />;
  return <Icon name={KIND_ICONS[kind] ?? "quote"} />;
}

function sessionRow({ sessionId, title, cwd, members, turns, updatedTs }: SessionSummary): Row {
  const folder = folderName(cwd);
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

/** Debounce of typing before the host is asked. */
const QUIET_MS = 150;

/** Poll interval while the host is still indexing sessions. */
const AGAIN_MS = 1_500;

/** Shorter queries match everywhere; the session list suffices for them. */
const LETTERS_MIN = 2;

const QUERY_CHARS_MAX = 1_000;

const IDLE: Searched = { state: "idle" };

type Searched =
  | { readonly state: "idle" }
  | { readonly state: "asking"; readonly before?: SearchAnswer }
  | { readonly state: "found"; readonly answer: SearchAnswer; readonly ms: number }
  | { readonly state: "failed"; readonly reason: string };

function useSearch(query: Omit<SearchQuery, "words"> & { readonly text: string }): Searched {
  const store = useStore();
  const [searched, setSearched] = useState<Searched>(IDLE);
  const text = query.text.trim().slice(0, QUERY_CHARS_MAX);
  const { member, cwd, sessionId } = query;
  useEffect(() => {
    if (text.length < LETTERS_MIN) {
      setSearched(IDLE);
      return undefined;
    }
    let isCurrent = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const whole = {
      words: text,
      ...(member === undefined ? {} : { member }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(sessionId === undefined ? {} : { sessionId }),
    };
    async function ask(): Promise<void> {
      const startMs = performance.now();
      try {
        const answer = await store.client.search(whole);
        if (!isCurrent) return;
        setSearched({ state: "found", answer, ms: Math.round(performance.now() - startMs) });
        if (!answer.isComplete) timer = setTimeout(() => void ask(), AGAIN_MS);
      } catch (error) {
        if (isCurrent) setSearched({ state: "failed", reason: error instanceof Error ? error.message : String(error) });
      }
    }
    setSearched((last) => (last.state === "found" ? { state: "asking", before: last.answer } : { state: "asking" }));
    timer = setTimeout(() => void ask(), QUIET_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [store, text, member, cwd, sessionId]);
  return searched;
}

/** `sessions`: number of sessions that match by name. */
function formatSearchStatus(searched: Searched, sessions: number): string {
  if (searched.state === "idle") return sessions === 0 ? "No matching sessions." : "";
  if (searched.state === "asking") return "Searching…";
  if (searched.state === "failed") return searched.reason;
  const { hits, hasMore, isComplete, sessionsLeft } = searched.answer;
  const messages = hits.filter(({ kind }) => kind !== "title").length;
  const total = messages + sessions;
  const count =
    total === 0 ? "No results" : `${plural(total, "result")}${hasMore ? " and more" : ""} in ${searched.ms} ms`;
  return isComplete ? count : `${count}; ${plural(sessionsLeft, "session")} not searched yet`;
}
