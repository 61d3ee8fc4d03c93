/** A text that an agent puts into the draft: taken at once while the draft is empty, offered while it is not. */
import { createElement, useEffect, useRef, useState, type ReactNode } from "react";
import { useApp, useHead } from "../store/use-store.ts";

export function useOfferedText(text: string, setText: (text: string) => void): ReactNode {
  const opening = useApp((state) => state.opening);
  const editorText = useHead((head) => head.ui.editorText);
  const isThere = useApp((state) => state.transcript !== undefined);
  // What was put there before the page came is old.
  const known = useRef<{ opening: number; seq: number }>(undefined);
  const [offer, setOffer] = useState<{ opening: number; text: string }>();
  useEffect(() => {
    if (!isThere) return;
    const seq = editorText?.seq ?? 0;
    const before = known.current;
    known.current = { opening, seq };
    if (before?.opening !== opening || editorText === undefined || seq <= before.seq) return;
    if (text === "") setText(editorText.text);
    else setOffer({ opening, text: editorText.text });
  }, [opening, isThere, editorText, text, setText]);
  if (offer === undefined || offer.opening !== opening) return null;
  const accept = (): void => {
    setText(offer.text);
    setOffer(undefined);
  };
  return createElement(
    "p",
    { className: "offer", role: "group", "aria-label": "An agent proposes a text" },
    "An agent proposes a text for the draft. ",
    createElement("button", { type: "button", className: "quiet", onClick: accept }, "Use it"),
    createElement("button", { type: "button", className: "quiet", onClick: () => setOffer(undefined) }, "Leave it"),
  );
}
