/** A disclosure: a summary line, and content rendered only while open. */
import { type ReactNode, type ToggleEvent, useState } from "react";

const CACHE_MAX = 2_000;

const openById = new Map<string, boolean>();

export interface CollapsibleProps {
  readonly id: string;
  readonly className: string;
  readonly summary: ReactNode;
  readonly children: ReactNode;
  readonly isOpenAtFirst?: boolean;
  readonly state?: string;
}

export function Collapsible({ id, className, summary, children, isOpenAtFirst = false, state }: CollapsibleProps) {
  const { isOpen, onToggle } = useOpened(id, isOpenAtFirst);
  return (
    <details className={className} open={isOpen} onToggle={onToggle} data-state={state}>
      <summary>{summary}</summary>
      {isOpen ? <div className="fold-body">{children}</div> : null}
    </details>
  );
}

/** What the user expanded or collapsed; it survives scrolling out of view. */
interface Opened {
  readonly isOpen: boolean;
  readonly onToggle: (event: ToggleEvent<HTMLDetailsElement>) => void;
}

/** `isOpenAtFirst` may change: it applies until the user decides. */
function useOpened(id: string, isOpenAtFirst = false): Opened {
  const [, draw] = useState(0);
  const isOpen = openById.get(id) ?? isOpenAtFirst;
  return {
    isOpen,
    onToggle(event) {
      const isNow = event.currentTarget.open;
      // The browser also reports our own changes.
      if (isNow === (openById.get(id) ?? isOpenAtFirst)) return;
      openById.set(id, isNow);
      if (openById.size > CACHE_MAX) openById.delete(openById.keys().next().value ?? "");
      draw((count) => count + 1);
    },
  };
}
