/** The list under the caret: members and commands at once, files and names when they were asked for. */
import { useEffect, useRef, useState } from "react";
import { useStore } from "../store/use-store.ts";
import {
  commandSuggestions,
  lateSuggestions,
  memberSuggestions,
  wantedAt,
  type Suggestion,
  type Wanted,
} from "./completion.ts";

/** Nobody reads what is shown between two keys. */
const QUIET_MS = 120;

export interface Completion {
  readonly suggestions: readonly Suggestion[];
  readonly chosen: number;
  readonly wanted: Wanted | undefined;
  move(step: number): void;
  close(): void;
}

export function useCompletion(text: string, caret: number): Completion {
  const store = useStore();
  const wanted = wantedAt(text, caret);
  const key = wanted === undefined ? "" : `${wanted.kind} ${wanted.command ?? ""} ${wanted.from} ${wanted.word}`;
  const [late, setLate] = useState<{ key: string; found: readonly Suggestion[] }>({ key: "", found: [] });
  const [chosen, setChosen] = useState({ key: "", at: 0 });
  const [closedKey, setClosed] = useState("");
  const asked = useRef({ key, wanted });
  asked.current = { key, wanted };
  useEffect(() => {
    const { wanted: now } = asked.current;
    if (now === undefined || now.kind === "command") return undefined;
    const timer = setTimeout(() => {
      lateSuggestions(store, now).then(
        (found) => {
          if (asked.current.key === key) setLate({ key, found });
        },
        // Without files there are still the members; why a name cannot be had is said by its command.
        () => {},
      );
    }, QUIET_MS);
    return () => clearTimeout(timer);
  }, [store, key]);
  const suggestions =
    wanted === undefined || closedKey === key
      ? []
      : wanted.kind === "command"
        ? commandSuggestions(wanted.word)
        : [
            ...(wanted.kind === "mention" ? memberSuggestions(store, wanted.word) : []),
            ...(late.key === key ? late.found : []),
          ];
  const at = chosen.key === key ? Math.min(chosen.at, suggestions.length - 1) : 0;
  return {
    suggestions,
    chosen: at,
    wanted,
    move: (step) => setChosen({ key, at: (at + step + suggestions.length) % Math.max(1, suggestions.length) }),
    close: () => setClosed(key),
  };
}
