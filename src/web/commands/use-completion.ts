/** The list above the draft: members and commands at once, files and names when they were asked for. */
import { useEffect, useRef, useState } from "react";
import type { PageStore } from "../store/page-store.ts";
import { useApp, useStore } from "../store/use-store.ts";
import {
  commandSuggestions,
  isWrittenOut,
  lateSuggestions,
  memberSuggestions,
  wantedAt,
  type Suggestion,
  type Wanted,
} from "./completion.ts";
import { createLatestQuery } from "./latest-query.ts";

/** Nobody reads what is shown between two keys. */
const QUIET_MS = 120;

export interface Completion {
  readonly suggestions: readonly Suggestion[];
  readonly chosen: number;
  readonly wanted: Wanted | undefined;
  /** What is written needs no choosing. */
  readonly isWhole: boolean;
  readonly move: (step: number) => void;
  readonly close: () => void;
}

interface CompletionQuery {
  /** Tells one question from the next. */
  readonly key: string;
  /** The same for every word at this place: what one letter fewer has found may hold the word with it too. */
  readonly scope: string;
  readonly wanted: Wanted;
}

export function useCompletion(text: string, caret: number): Completion {
  const store = useStore();
  const opening = useApp((state) => state.opening);
  const wanted = wantedAt(text, caret);
  const query = wanted === undefined ? undefined : queryFor(wanted, opening);
  const late = useLate(store, query);
  const [chosen, setChosen] = useState({ key: "", id: "" });
  const [closedKey, setClosed] = useState("");
  const key = query?.key ?? "";
  const suggestions = wanted === undefined || closedKey === key ? [] : suggestionsFor(store, wanted, late);
  // By what it is: files that come later must not put another one below the hand that takes it.
  const at = Math.max(
    0,
    suggestions.findIndex((one) => (chosen.key === key ? idOf(one) === chosen.id : one.value === wanted?.typed)),
  );
  return {
    suggestions,
    chosen: at,
    wanted,
    isWhole: wanted !== undefined && isWrittenOut(wanted, suggestions[at]),
    move(step) {
      const next = suggestions[(at + step + suggestions.length) % Math.max(1, suggestions.length)];
      if (next !== undefined) setChosen({ key, id: idOf(next) });
    },
    close: () => setClosed(key),
  };
}

/** A member and a file may have the same name. */
export function idOf({ kind, value }: Suggestion): string {
  return `${kind} ${value}`;
}

function queryFor(wanted: Wanted, opening: number): CompletionQuery {
  const scope = `${opening} ${wanted.kind} ${wanted.command ?? ""} ${wanted.from}`;
  return { key: `${scope} ${wanted.typed}`, scope, wanted };
}

function suggestionsFor(store: PageStore, wanted: Wanted, late: readonly Suggestion[]): readonly Suggestion[] {
  if (wanted.kind === "command") return commandSuggestions(wanted.word);
  const all = wanted.kind === "mention" ? [...memberSuggestions(store, wanted.word), ...late] : late;
  // A list whose only line says what is written would only be in the way of Enter.
  return all.length === 1 && all[0]?.value === wanted.typed ? [] : all;
}

/** What was found for the word; until that is there, what was found for the word before and holds this one too. */
function useLate(store: PageStore, query: CompletionQuery | undefined): readonly Suggestion[] {
  const [late, setLate] = useState<{ query: CompletionQuery; suggestions: readonly Suggestion[] }>();
  const newest = useRef(query);
  newest.current = query;
  const [ask] = useState(() =>
    createLatestQuery<CompletionQuery, readonly Suggestion[]>({
      ask: async (question) =>
        newest.current?.key === question.key ? await lateSuggestions(store, question.wanted) : undefined,
      onAnswer(question, suggestions) {
        if (newest.current?.key === question.key) setLate({ query: question, suggestions });
      },
    }),
  );
  const key = query?.key;
  useEffect(() => {
    const { current } = newest;
    if (current === undefined || current.wanted.kind === "command") return undefined;
    const timer = setTimeout(() => ask(current), QUIET_MS);
    return () => clearTimeout(timer);
  }, [ask, key]);
  if (late === undefined || late.query.scope !== query?.scope) return [];
  if (late.query.key === key) return late.suggestions;
  const word = query.wanted.word.toLowerCase();
  return late.suggestions.filter(({ label }) => label.toLowerCase().includes(word));
}
