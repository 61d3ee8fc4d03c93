/** Whether to speak of keys: where fingers are all there is to point with, a keyboard is on the screen and has none of them. */
import { useSyncExternalStore } from "react";

const fingers = matchMedia("(hover: none) and (pointer: coarse)");

function subscribe(listener: () => void): () => void {
  fingers.addEventListener("change", listener);
  return () => fingers.removeEventListener("change", listener);
}

export function useHasKeys(): boolean {
  return useSyncExternalStore(subscribe, () => !fingers.matches);
}
