/** One button for several actions: "…" opens them, and choosing one, Escape or a click elsewhere closes them. */
import type { KeyboardEvent } from "react";
import { usePopover } from "./popover.ts";

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
  const { button, popped, isOpen, close, props } = usePopover<HTMLDivElement>((list) =>
    list.querySelector("button")?.focus(),
  );
  return (
    <>
      <button
        ref={button}
        type="button"
        className="menu-button"
        aria-label={label}
        aria-expanded={isOpen}
        title="More actions"
        autoFocus={isFocused}
      >
        …
      </button>
      <div
        ref={popped}
        className="menu"
        role="group"
        aria-label={label}
        {...props}
        onKeyDown={(event) => {
          props.onKeyDown(event);
          step(event, popped.current);
        }}
      >
        {isOpen ? items.map((item) => <Item key={item.label} item={item} onDone={close} />) : null}
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

/** Arrows move within it. */
function step(event: KeyboardEvent, list: HTMLElement | null): void {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (by === 0 || list === null) return;
  event.preventDefault();
  const buttons = [...list.querySelectorAll("button")];
  const at = buttons.findIndex((one) => one === document.activeElement);
  buttons.at((at + by) % buttons.length)?.focus();
}
