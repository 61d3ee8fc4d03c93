/** A "…" button with several actions; a choice, Escape or a click elsewhere closes them. */
import { type KeyboardEvent, type RefObject, type ToggleEvent, useLayoutEffect, useRef, useState } from "react";

export interface MenuItem {
  readonly label: string;
  readonly title?: string;
  /** State of a toggle. */
  readonly isPressed?: boolean;
  readonly onChoose: () => void;
}

export interface MenuProps {
  /** Label of the menu. */
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** Focused at first, after something it opened was closed by a key. */
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

/** Arrow keys move within it. */
function step(event: KeyboardEvent, list: HTMLElement | null): void {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (by === 0 || list === null) return;
  event.preventDefault();
  const buttons = [...list.querySelectorAll("button")];
  const at = buttons.findIndex((one) => one === document.activeElement);
  buttons.at((at + by) % buttons.length)?.focus();
}

/** A native popover of a button: a click elsewhere or Escape closes it, and focus returns to the button. */
interface Popover<Popped extends HTMLElement> {
  readonly button: RefObject<HTMLButtonElement | null>;
  readonly popped: RefObject<Popped | null>;
  readonly isOpen: boolean;
  readonly close: () => void;
  /** Props of the popover element. */
  readonly props: {
    readonly popover: "auto";
    readonly onBeforeToggle: (event: ToggleEvent<Popped>) => void;
    readonly onToggle: (event: ToggleEvent<Popped>) => void;
    readonly onKeyDown: (event: KeyboardEvent) => void;
  };
}

/** `focus` chooses the element that gets the focus. */
export function usePopover<Popped extends HTMLElement>(focus: (popped: Popped) => void): Popover<Popped> {
  const button = useRef<HTMLButtonElement>(null);
  const popped = useRef<Popped>(null);
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    if (button.current !== null) button.current.popoverTargetElement = popped.current;
  });
  return {
    button,
    popped,
    isOpen,
    close: () => popped.current?.hidePopover(),
    props: {
      popover: "auto",
      onBeforeToggle({ currentTarget, newState }) {
        if (newState !== "open") return;
        positionBelow(currentTarget, button.current);
        setOpen(true);
      },
      onToggle({ currentTarget, newState }) {
        if (newState === "open") focus(currentTarget);
        // Not earlier: removing the focused element would lose the focus.
        else setOpen(false);
      },
      onKeyDown(event) {
        // Escape closes it without interrupting turns.
        if (event.key === "Escape") event.stopPropagation();
      },
    },
  };
}

/** CSS keeps it inside the window. */
function positionBelow(popped: HTMLElement, button: HTMLElement | null): void {
  const { left = 0, bottom = 0 } = button?.getBoundingClientRect() ?? {};
  popped.style.setProperty("--left", `${left}px`);
  popped.style.setProperty("--top", `${bottom}px`);
}
