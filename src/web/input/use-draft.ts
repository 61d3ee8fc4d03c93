/** The draft of each session, stored in this browser. */
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { storeDraft, readDraft } from "../store/local-storage.ts";
import { useApp } from "../store/use-store.ts";

const SAVE_MS = 400;
/** Key of the draft of a session that does not exist yet. */
export const NEW = "new";

interface OpenDraft {
  readonly sessionId: () => string;
  readonly setText: (change: (before: string) => string) => void;
}

let open: OpenDraft | undefined;

/** Prepends a text that would be lost to the draft of its session, even if another one is open. */
export function putIntoDraft(sessionId: string, written: string): void {
  if (open?.sessionId() === sessionId) open.setText((now) => beforeDraft(written, now));
  else storeDraft(sessionId, beforeDraft(written, readDraft(sessionId)));
}

/** Keeps what was written meanwhile. */
function beforeDraft(written: string, now: string): string {
  return now === "" ? written : `${written}\n\n${now}`;
}

export function useDraft(): [text: string, setText: (change: string | ((before: string) => string)) => void] {
  const sessionId = useApp((state) => state.sessionId) ?? NEW;
  const isCreatedHere = useApp((state) => state.isCreatedHere);
  const [text, setText] = useState(() => readDraft(sessionId));
  const current = useRef({ sessionId, text });
  if (current.current.sessionId !== sessionId) {
    const before = current.current;
    // A session created by a message from here keeps the current draft.
    const next = isCreatedHere && before.sessionId === NEW ? before.text : readDraft(sessionId);
    storeDraft(before.sessionId, isCreatedHere ? "" : before.text);
    current.current = { sessionId, text: next };
    setText(next);
  } else {
    current.current = { sessionId, text };
  }
  useLayoutEffect(() => {
    open = { sessionId: () => current.current.sessionId, setText };
    return () => {
      open = undefined;
    };
  }, []);
  useEffect(() => {
    const timer = setTimeout(() => storeDraft(sessionId, text), SAVE_MS);
    return () => clearTimeout(timer);
  }, [sessionId, text]);
  useEffect(() => {
    const saveNow = (): void => storeDraft(current.current.sessionId, current.current.text);
    addEventListener("pagehide", saveNow);
    return () => removeEventListener("pagehide", saveNow);
  }, []);
  return [text, setText];
}
