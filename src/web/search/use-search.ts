/** The search of the host while a query is typed. An older answer never replaces a newer one. */
import { useEffect, useState } from "react";
import type { SearchAnswer, SearchQuery } from "../../protocol/index.ts";
import { plural } from "../format/units.ts";
import { useStore } from "../store/use-store.ts";

/** Debounce of typing before the host is asked. */
const QUIET_MS = 150;

/** Poll interval while the host is still indexing sessions. */
const AGAIN_MS = 1_500;

/** Shorter queries match everywhere; the session list suffices for them. */
const LETTERS_MIN = 2;

const QUERY_CHARS_MAX = 1_000;

const IDLE: Searched = { state: "idle" };

export type Searched =
  | { readonly state: "idle" }
  | { readonly state: "asking"; readonly before?: SearchAnswer }
  | { readonly state: "found"; readonly answer: SearchAnswer; readonly ms: number }
  | { readonly state: "failed"; readonly reason: string };

export function useSearch(query: SearchQuery): Searched {
  const store = useStore();
  const [searched, setSearched] = useState<Searched>(IDLE);
  const words = query.words.trim().slice(0, QUERY_CHARS_MAX);
  const { member, cwd, sessionId } = query;
  useEffect(() => {
    if (words.length < LETTERS_MIN) {
      setSearched(IDLE);
      return undefined;
    }
    let isCurrent = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const whole = {
      words,
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
  }, [store, words, member, cwd, sessionId]);
  return searched;
}

/** `sessions`: number of sessions that match by name. */
export function formatSearchStatus(searched: Searched, sessions: number): string {
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
