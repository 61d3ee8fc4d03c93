/** The draft of each session: kept in this browser, changed by nobody but the person. */
import { useEffect, useRef, useState } from "react";
import { keepDraft, readDraft } from "../store/kept.ts";
import { useApp } from "../store/use-store.ts";

const KEEP_MS = 400;
/** Where the draft of a session that does not exist yet is kept. */
const NEW = "new";

export function useDraft(): [text: string, setText: (change: string | ((before: string) => string)) => void] {
  const sessionId = useApp((state) => state.sessionId) ?? NEW;
  const isBornHere = useApp((state) => state.isBornHere);
  const [text, setText] = useState(() => readDraft(sessionId));
  const current = useRef({ sessionId, text });
  if (current.current.sessionId !== sessionId) {
    const before = current.current;
    // A session that began with a message from here goes on with what is being written.
    const next = isBornHere && before.sessionId === NEW ? before.text : readDraft(sessionId);
    keepDraft(before.sessionId, isBornHere ? "" : before.text);
    current.current = { sessionId, text: next };
    setText(next);
  } else {
    current.current = { sessionId, text };
  }
  useEffect(() => {
    const timer = setTimeout(() => keepDraft(sessionId, text), KEEP_MS);
    return () => clearTimeout(timer);
  }, [sessionId, text]);
  useEffect(() => {
    const keepNow = (): void => keepDraft(current.current.sessionId, current.current.text);
    addEventListener("pagehide", keepNow);
    return () => removeEventListener("pagehide", keepNow);
  }, []);
  return [text, setText];
}
