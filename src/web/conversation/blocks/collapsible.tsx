/** Something that opens: a line that is always there, and what is drawn only while it is open. */
import type { ReactNode } from "react";
import { useOpened } from "./opened.ts";

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
