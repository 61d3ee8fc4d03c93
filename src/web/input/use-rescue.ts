/**
 * For a form that may disappear while the user types: its text and the following keys go into the session's draft.
 * Submitted text counts as safe until it is rejected, possibly after the form is gone.
 */
import { useLayoutEffect, useRef, useState } from "react";
import type { RefObject } from "react";
import { useStore } from "../store/use-store.ts";
import { focusDraft, isTextField } from "./focus.ts";
import { putIntoDraft } from "./use-draft.ts";

export interface Rescue {
  /** The text that would be lost; empty for none. */
  setText(text: string): void;
  setSafe(isSafe: boolean): void;
}

/** `message` is shown when text was rescued. */
export function useRescue(container: RefObject<HTMLElement | null>, message: string): Rescue {
  const store = useStore();
  const [sessionId] = useState(() => store.getState().sessionId ?? "");
  const form = useRef({ text: "", isSafe: false, isGone: false });
  const [rescue] = useState(() => (change: { isSafe: boolean } | { isGone: true }) => {
    const { isSafe, isGone, text } = Object.assign(form.current, change);
    if (!isGone || isSafe || text === "") return false;
    putIntoDraft(sessionId, text);
    if (store.getState().sessionId !== sessionId) return false;
    store.notify(message);
    return true;
  });
  useLayoutEffect(
    () => () => {
      const active = document.activeElement;
      const wasWriting = isTextField(active) && container.current?.contains(active) === true;
      const isRescued = rescue({ isGone: true });
      if (wasWriting) focusDraft(isRescued ? form.current.text.length : undefined);
    },
    [rescue, container],
  );
  return {
    setText: (text) => void (form.current.text = text),
    setSafe: (isSafe) => void rescue({ isSafe }),
  };
}
