/** What the host finds for the words in a field, asked while they are typed. An older answer never replaces a newer one. */
import { useEffect, useState } from "react";
import type { SearchAnswer } from "../../protocol/index.ts";
import { useStore } from "../store/use-store.ts";

/** Typing rests this long before the host is asked. */
const QUIET_MS = 150;
/** A host that reads sessions into its index is asked again. */
const AGAIN_MS = 1_500;
/** Shorter words are found everywhere; the list of sessions is enough for them. */
const LETTERS_MIN = 2;
const QUERY_CHARS_MAX = 1_000;

export type Searched =
  | { readonly state: "idle" }
  | { readonly state: "asking"; readonly before?: SearchAnswer }
  | { readonly state: "found"; readonly answer: SearchAnswer }
  | { readonly state: "failed"; readonly reason: string };

const IDLE: Searched = { state: "idle" };

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
