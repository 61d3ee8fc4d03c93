/** What the word being written could become. */
import { useEffect, useRef } from "react";
import { idOf, type Completion } from "./use-completion.ts";

export function optionId(listId: string, at: number): string {
  return `${listId}-${at}`;
}

export interface CompletionListProps {
  readonly id: string;
  readonly completion: Completion;
  readonly onChoose: (at: number) => void;
}

export function CompletionList({ id, completion: { suggestions, chosen }, onChoose }: CompletionListProps) {
  const current = useRef<HTMLLIElement>(null);
  useEffect(() => {
    current.current?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  if (suggestions.length === 0) return null;
  return (
    <ul id={id} className="completion" role="listbox" aria-label="Suggestions" tabIndex={0}>
      {suggestions.map((suggestion, at) => (
        <li
          key={idOf(suggestion)}
          id={optionId(id, at)}
          ref={at === chosen ? current : undefined}
          role="option"
          aria-selected={at === chosen}
          // The draft keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(at)}
        >
          <span className="suggested">{suggestion.label}</span>
          <span className="fact">{suggestion.fact}</span>
        </li>
      ))}
    </ul>
  );
}
