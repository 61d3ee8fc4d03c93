/** The list under the caret: members at once, files when the host has answered, commands at the beginning of the draft. */
import { useEffect, useRef, useState } from "react";
import { useStore } from "../store/use-store.ts";
import {
  commandSuggestions,
  fileSuggestions,
  memberSuggestions,
  wantedAt,
  type Suggestion,
  type Wanted,
} from "./completion.ts";

/** Nobody reads what is shown between two keys. */
const FILES_QUIET_MS = 120;

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
  const key = wanted === undefined ? "" : `${wanted.kind} ${wanted.from} ${wanted.word}`;
  const [files, setFiles] = useState<{ key: string; found: readonly Suggestion[] }>({ key: "", found: [] });
  const [chosen, setChosen] = useState({ key: "", at: 0 });
  const [closedKey, setClosed] = useState("");
  const asked = useRef("");
  asked.current = key;
  useEffect(() => {
    if (!key.startsWith("mention ")) return undefined;
    const timer = setTimeout(() => {
      fileSuggestions(store, wordOf(key)).then(
        (found) => {
          if (asked.current === key) setFiles({ key, found });
        },
        // Without files there are still the members.
        () => {},
      );
    }, FILES_QUIET_MS);
    return () => clearTimeout(timer);
  }, [store, key]);
  const suggestions =
    wanted === undefined || closedKey === key
      ? []
      : wanted.kind === "command"
        ? commandSuggestions(wanted.word)
        : [...memberSuggestions(store, wanted.word), ...(files.key === key ? files.found : [])];
  const at = chosen.key === key ? Math.min(chosen.at, suggestions.length - 1) : 0;
  return {
    suggestions,
    chosen: at,
    wanted,
    move: (step) => setChosen({ key, at: (at + step + suggestions.length) % Math.max(1, suggestions.length) }),
    close: () => setClosed(key),
  };
}

function wordOf(key: string): string {
  return key.split(" ")[2] ?? "";
}
