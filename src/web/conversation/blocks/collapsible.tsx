/** Something that opens: a line that is always there, and what is drawn only while it is open. */
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

/** What a person has opened or closed in the conversation; it stays so when it is scrolled out of view and back. */
interface Opened {
  readonly isOpen: boolean;
  readonly onToggle: (event: ToggleEvent<HTMLDetailsElement>) => void;
}

/** `isOpenAtFirst` may change: it holds until the person decides. */
function useOpened(id: string, isOpenAtFirst = false): Opened {
  const [, draw] = useState(0);
  const isOpen = openById.get(id) ?? isOpenAtFirst;
  return {
    isOpen,
    onToggle(event) {
      const isNow = event.currentTarget.open;
      // The browser tells of our own changes too.
      if (isNow === (openById.get(id) ?? isOpenAtFirst)) return;
      openById.set(id, isNow);
      if (openById.size > CACHE_MAX) openById.delete(openById.keys().next().value ?? "");
      draw((count) => count + 1);
    },
  };
}
