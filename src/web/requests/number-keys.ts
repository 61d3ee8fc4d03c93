/**
 * Number keys for what is at a place, wherever the focus is, but never one that is being written, never the same press
 * twice, and never while something lies over the place or hides it: nobody answers what cannot be seen.
 */
import { useEffect, useRef, type RefObject } from "react";

export function useNumbers(place: RefObject<HTMLElement | null>, onNumber: (number: number) => void): void {
  const latest = useRef(onNumber);
  latest.current = onNumber;
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || event.repeat) return;
      if (event.ctrlKey || event.metaKey || event.altKey || takesText(event.target)) return;
      if (document.querySelector("dialog[open]") !== null || place.current?.checkVisibility() !== true) return;
      if (/^[1-9]$/.test(event.key)) latest.current(Number(event.key));
    };
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, [place]);
}

export function takesText(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== "checkbox" && target.type !== "radio";
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
