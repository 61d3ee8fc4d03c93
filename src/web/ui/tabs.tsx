/** Tabs: arrow keys, Home and End choose; one stop for the Tab key. */
import { type KeyboardEvent, type ReactNode, useRef } from "react";

export interface Tab {
  readonly id: string;
  readonly label: ReactNode;
  readonly hue?: number;
}

export interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
  /** Ids of the tabs and their panels begin with it: `${prefix}-tab-${id}` and `${prefix}-panel-${id}`. */
  readonly prefix: string;
  readonly className?: string;
}

export function Tabs({ label, tabs, chosen, onChoose, prefix, className = "tabs" }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  function onKeyDown(event: KeyboardEvent): void {
    const at = tabs.findIndex(({ id }) => id === chosen);
    const next = tabs[indexAfter(event.key, at, tabs.length)];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onChoose(next.id);
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[tabs.indexOf(next)]?.focus();
  }
  return (
    <div className={className} role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
      {tabs.map(({ id, label: text, hue }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`${prefix}-tab-${id}`}
          data-tab={id}
          data-hue={hue}
          aria-selected={id === chosen}
          aria-controls={`${prefix}-panel-${id}`}
          tabIndex={id === chosen ? 0 : -1}
          onClick={() => onChoose(id)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

/** Undefined index for every other key. */
function indexAfter(key: string, at: number, count: number): number {
  switch (key) {
    case "ArrowRight":
      return (at + 1) % count;
    case "ArrowLeft":
      return (at - 1 + count) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return -1;
  }
}
