/** Hits in all sessions, newest first; a click opens the message. The number of hits is announced. */
import { Fragment, useEffect, useState } from "react";
import { hitWho, type SearchAnswer, type SearchHit } from "../../protocol/index.ts";
import { inOrder, inPlainSight } from "../format/plain-sight.ts";
import { formatWhen, plural } from "../format/units.ts";
import type { Route } from "../store/route.ts";
import { useApp, useStore } from "../store/use-store.ts";

/** Debounce of typing before the host is asked. */
const QUIET_MS = 150;

/** Poll interval while the host is still indexing sessions. */
const AGAIN_MS = 1_500;

/** Shorter queries match everywhere; the session list suffices for them. */
const LETTERS_MIN = 2;

const QUERY_CHARS_MAX = 1_000;

const IDLE: Searched = { state: "idle" };

export interface SearchResultsProps {
  readonly searched: Searched;
  readonly onOpen: (route: Route) => void;
}

export function SearchResults({ searched, onOpen }: SearchResultsProps) {
  const currentId = useApp((state) => state.sessionId);
  if (searched.state === "idle") return null;
  const answer =
    searched.state === "found" ? searched.answer : searched.state === "asking" ? searched.before : undefined;
  const hits = answer?.hits ?? [];
  return (
    <section className="search-results" aria-label="Found in sessions">
      <p className="fact" role="status">
        {formatSearchStatus(searched)}
      </p>
      {hits.length === 0 ? null : (
        <ul aria-busy={searched.state === "asking"}>
          {hits.map((hit) => (
            <li key={`${hit.sessionId} ${hit.eventSeq} ${hit.kind}`}>
              <button
                type="button"
                className="search-hit"
                onClick={() => onOpen({ sessionId: hit.sessionId, seq: hit.seq })}
              >
                <span className="fact" dir="auto">
                  {inPlainSight([hitWho(hit), titleOf(hit, currentId), formatWhen(hit.ts)].join(" · "))}
                </span>
                <span className="search-snippet" dir="auto">
                  <Marked hit={hit} />
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function titleOf({ sessionId, title }: SearchHit, currentId: string | undefined): string {
  if (sessionId === currentId) return "this session";
  return title === "" ? "Untitled" : title;
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

function formatSearchStatus(searched: Searched): string {
  if (searched.state === "idle") return "";
  if (searched.state === "asking") return "Searching messages…";
  if (searched.state === "failed") return searched.reason;
  const { hits, hasMore, isComplete, sessionsLeft } = searched.answer;
  const count = hits.length === 0 ? "Nothing in messages" : `${hits.length}${hasMore ? "+" : ""} in messages`;
  return isComplete ? `${count}.` : `${count}; ${plural(sessionsLeft, "session")} not looked through yet.`;
}

/** Search state while the query is typed. An older answer never replaces a newer one. */
type Searched =
  | { readonly state: "idle" }
  | { readonly state: "asking"; readonly before?: SearchAnswer }
  | { readonly state: "found"; readonly answer: SearchAnswer }
  | { readonly state: "failed"; readonly reason: string };

export function useSearch(text: string): Searched {
  const store = useStore();
  const [searched, setSearched] = useState<Searched>(IDLE);
  const query = text.trim().slice(0, QUERY_CHARS_MAX);
  useEffect(() => {
    if (query.length < LETTERS_MIN) {
      setSearched(IDLE);
      return undefined;
    }
    let isCurrent = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function ask(): Promise<void> {
      try {
        const answer = await store.client.search({ words: query });
        if (!isCurrent) return;
        setSearched({ state: "found", answer });
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
  }, [store, query]);
  return searched;
}
