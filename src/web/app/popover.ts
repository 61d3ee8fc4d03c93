/**
 * Something that pops up from a button, by the browser's own means: a click elsewhere or Escape closes it, and the focus
 * comes back to the button.
 */
import { useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject, type ToggleEvent } from "react";

export interface Popover<Popped extends HTMLElement> {
  readonly button: RefObject<HTMLButtonElement | null>;
  readonly popped: RefObject<Popped | null>;
  readonly isOpen: boolean;
  readonly close: () => void;
  /** For what pops up. */
  readonly props: {
    readonly popover: "auto";
    readonly onBeforeToggle: (event: ToggleEvent<Popped>) => void;
    readonly onToggle: (event: ToggleEvent<Popped>) => void;
    readonly onKeyDown: (event: KeyboardEvent) => void;
  };
}

/** `focus` chooses what of it gets the focus. */
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
        // Not before: with what has the focus in it, the focus would be gone.
        else setOpen(false);
      },
      onKeyDown(event) {
        // Escape closes it, and interrupts nobody.
        if (event.key === "Escape") event.stopPropagation();
      },
    },
  };
}

/** The style keeps it inside the window. */
function positionBelow(popped: HTMLElement, button: HTMLElement | null): void {
  const { left = 0, bottom = 0 } = button?.getBoundingClientRect() ?? {};
  popped.style.setProperty("--left", `${left}px`);
  popped.style.setProperty("--top", `${bottom}px`);
}
