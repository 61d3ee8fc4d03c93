/**
 * The keys that are pressed on a card, and nowhere else: whoever types elsewhere, or types on when the field is gone, means
 * something else. Fields of the card have their own keys. Nobody answers what cannot be seen.
 */
import { useEffect, useRef, type RefObject } from "react";
import { isTextField } from "../input/is-text-field.ts";

/** A key that writes something; a held one is told as often as it repeats. */
export interface CardKey {
  readonly key: string;
  readonly isHeld: boolean;
}

export function useCardKeys(cardRef: RefObject<HTMLElement | null>, onKey: (key: CardKey) => void): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  useEffect(() => {
    const card = cardRef.current;
    const listener = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
      // The space bar presses the button that has the focus.
      if (event.key.length !== 1 || event.key === " " || isTextField(event.target)) return;
      if (card?.checkVisibility() === true) latest.current({ key: event.key, isHeld: event.repeat });
    };
    card?.addEventListener("keydown", listener);
    return () => card?.removeEventListener("keydown", listener);
  }, [cardRef]);
}
