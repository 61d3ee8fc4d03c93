/** What a person has opened or closed in the conversation; it stays so when it is scrolled out of view and back. */
import { useState, type ToggleEvent } from "react";

const CACHE_MAX = 2_000;
const openById = new Map<string, boolean>();

export interface Opened {
  readonly isOpen: boolean;
  readonly onToggle: (event: ToggleEvent<HTMLDetailsElement>) => void;
}

/** `isOpenAtFirst` may change: it holds until the person decides. */
export function useOpened(id: string, isOpenAtFirst = false): Opened {
  const [, draw] = useState(0);
  const isOpen = openById.get(id) ?? isOpenAtFirst;
  return {
    isOpen,
    onToggle(event) {
      const isNow = event.currentTarget.open;
      // The browser tells of our own changes too.
      if (isNow === (openById.get(id) ?? isOpenAtFirst)) return;
      openById.set(id, isNow);
      if (openById.size > CACHE_MAX) openById.delete(openById.keys().next().value ?? "");
      draw((count) => count + 1);
    },
  };
}
