/** Number keys, wherever the focus is, but never one that is being written, and never the same press twice. */
import { useEffect, useRef } from "react";

export function useNumbers(onNumber: (number: number) => void): void {
  const latest = useRef(onNumber);
  latest.current = onNumber;
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || event.repeat) return;
      if (event.ctrlKey || event.metaKey || event.altKey || takesText(event.target)) return;
      if (/^[1-9]$/.test(event.key)) latest.current(Number(event.key));
    };
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);
}

export function takesText(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== "checkbox" && target.type !== "radio";
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
