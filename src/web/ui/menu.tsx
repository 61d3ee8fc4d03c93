/** A "…" button with several actions; a choice, Escape or a click elsewhere closes them. */
import {
  memo,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  type ToggleEvent,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { Icon, type IconName } from "./icon.tsx";

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly title?: string;
  /** At the right: a key, or a short fact. */
  readonly aside?: ReactNode;
  /** Red: what it does is hard to take back. */
  readonly isDanger?: boolean;
  /** A line above it. */
  readonly isApart?: boolean;
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
  readonly icon?: IconName;
  readonly iconSize?: "s" | "m";
  /** With its label beside the icon. */
  readonly isLabelled?: boolean;
  /** Facts below the items. */
  readonly note?: ReactNode;
  /** -1 where other keys lead to it. */
  readonly tabIndex?: number;
  readonly onOpenChange?: (isOpen: boolean) => void;
}

export const Menu = memo(function Menu({
  label,
  items,
  isFocused = false,
  icon = "ellipsis",
  iconSize = "m",
  isLabelled = false,
  note,
  tabIndex,
  onOpenChange,
}: MenuProps) {
  const { button, popped, isOpen, close, props } = usePopover<HTMLDivElement>((list) =>
    list.querySelector("button")?.focus(),
  );
  return (
    <>
      <button
        ref={button}
        type="button"
        className={isLabelled ? "btn sm menu-button" : "ib menu-button"}
        aria-label={label}
        aria-expanded={isOpen}
        title={isLabelled ? undefined : label}
        autoFocus={isFocused}
        tabIndex={tabIndex}
      >
        <Icon name={icon} size={iconSize} />
        {isLabelled ? label : null}
      </button>
      <div
        ref={popped}
        className="menu"
        role="group"
        aria-label={label}
        {...props}
        onToggle={(event) => {
          props.onToggle(event);
          onOpenChange?.(event.newState === "open");
        }}
        onKeyDown={(event) => {
          props.onKeyDown(event);
          step(event, popped.current);
        }}
      >
        {isOpen ? items.map((item) => <Item key={item.label} item={item} onDone={close} />) : null}
        {isOpen && note !== undefined ? <div className="menu-note">{note}</div> : null}
      </div>
    </>
  );
});

function Item({ item, onDone }: { item: MenuItem; onDone: () => void }) {
  const { label, icon, title, aside, isDanger = false, isApart = false, isPressed, onChoose } = item;
  return (
    <button
      type="button"
      className="menu-item"
      title={title}
      data-tone={isDanger ? "danger" : undefined}
      data-apart={isApart}
      aria-pressed={isPressed}
      onClick={() => {
        onDone();
        onChoose();
      }}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      <span className="menu-label">{label}</span>
      {aside === undefined ? null : <span className="menu-aside">{aside}</span>}
      {isPressed === true ? <Icon name="check" size="s" className="menu-check" /> : null}
    </button>
  );
}

/** Arrow keys, Home and End move within it. */
function step(event: KeyboardEvent, list: HTMLElement | null): void {
  if (list === null) return;
  const buttons = [...list.querySelectorAll("button")];
  const at = buttons.findIndex((one) => one === document.activeElement);
  const next = { ArrowDown: (at + 1) % buttons.length, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  buttons.at(next)?.focus();
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
      onBeforeToggle({ newState }) {
        if (newState === "open") setOpen(true);
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
