/** One button for several actions: "…" opens them, and choosing one, Escape or a click elsewhere closes them. */
import { useId, useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import { placeBelow } from "./popover.ts";

export interface MenuItem {
  readonly label: string;
  readonly title?: string;
  /** For a switch: whether it is on. */
  readonly isPressed?: boolean;
  readonly onChoose: () => void;
}

export interface MenuProps {
  /** What the actions are about. */
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** Has the focus from the beginning: something that it opened was closed by a key. */
  readonly isFocused?: boolean;
}

export function Menu({ label, items, isFocused = false }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    if (isOpen) list.current?.querySelector("button")?.focus();
  }, [isOpen]);
  return (
    <>
      <button
        ref={button}
        type="button"
        className="menu-button"
        aria-label={label}
        aria-expanded={isOpen}
        title="More actions"
        popoverTarget={id}
        autoFocus={isFocused}
      >
        …
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        className="menu"
        role="group"
        aria-label={label}
        onBeforeToggle={({ currentTarget, newState }) => {
          if (newState === "open") placeBelow(currentTarget, button.current);
        }}
        onToggle={({ newState }) => setOpen(newState === "open")}
        onKeyDown={(event) => takeKey(event, list.current)}
      >
        {isOpen
          ? items.map((item) => <Item key={item.label} item={item} onDone={() => list.current?.hidePopover()} />)
          : null}
      </div>
    </>
  );
}

function Item({ item: { label, title, isPressed, onChoose }, onDone }: { item: MenuItem; onDone: () => void }) {
  return (
    <button
      type="button"
      title={title}
      aria-pressed={isPressed}
      onClick={() => {
        onDone();
        onChoose();
      }}
    >
      {label}
    </button>
  );
}

/** Escape closes it and interrupts nobody; arrows move within it. */
function takeKey(event: KeyboardEvent, list: HTMLElement | null): void {
  if (event.key === "Escape") event.stopPropagation();
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0 || list === null) return;
  event.preventDefault();
  const buttons = [...list.querySelectorAll("button")];
  const at = buttons.findIndex((one) => one === document.activeElement);
  buttons.at((at + step) % buttons.length)?.focus();
}
