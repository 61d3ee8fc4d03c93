/** What was found in all sessions, newest first; a click goes to the message. How much it is, is said aloud. */
import { Fragment } from "react";
import { hitWho, type SearchHit } from "../../protocol/index.ts";
import { useApp } from "../store/use-store.ts";
import type { Route } from "../store/route.ts";
import { formatWhen } from "../format/units.ts";
import { inOrder, inPlainSight } from "../format/plain-sight.ts";
import { formatSearchStatus } from "./format-search-status.ts";
import type { Searched } from "./use-search.ts";

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
