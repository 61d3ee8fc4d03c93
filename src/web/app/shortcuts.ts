/** Keys that work wherever the focus is. None of them is one that writes something while something takes text. */
import { useEffect, useRef } from "react";
import { isOfInputMethod } from "../input/input-method.ts";
import { isTextField } from "../input/is-text-field.ts";
import { printSession } from "../print/print-session.tsx";
import type { PageStore } from "../store/page-store.ts";
import { useStore } from "../store/use-store.ts";

export interface ShortcutActions {
  readonly showHelp: () => void;
  readonly focusSearch: () => void;
}

export function useShortcuts(actions: ShortcutActions): void {
  const store = useStore();
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || (isTextField(event.target) && isOfInputMethod(event))) return;
      if (document.querySelector("dialog[open], [popover]:popover-open") !== null) return;
      if (act(event, store, latest.current)) event.preventDefault();
    };
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, [store]);
}

/** True when the key was for us. */
function act(event: KeyboardEvent, store: PageStore, { showHelp, focusSearch }: ShortcutActions): boolean {
  const { key } = event;
  const isControl = event.ctrlKey || event.metaKey;
  if (key === "Escape") void store.interrupt();
  else if (key === "?" && !isTextField(event.target)) showHelp();
  else if (isControl && key === "k") focusSearch();
  else if (isControl && key === "p" && !event.shiftKey && canPrint(event, store))
    void store.guarded(() => printSession(store));
  else if (isControl && key === "End") scroll("end");
  else if (key === "Home" && !isCaretKey(event)) scroll("start");
  else if (isAlt(event, "n")) store.goTo({});
  else if (isAlt(event, "j")) step(store, 1);
  else if (isAlt(event, "k")) step(store, -1);
  else if (key === "PageUp" || key === "PageDown") scroll(key === "PageUp" ? -1 : 1);
  else return false;
  return key !== "Escape";
}

/** In a text that is written it moves the caret; in an empty field only with Control it has nothing to move. */
function isCaretKey({ target, ctrlKey, metaKey }: KeyboardEvent): boolean {
  if (!isTextField(target)) return false;
  const isEmpty = target instanceof HTMLTextAreaElement && target.value === "";
  return !(isEmpty && (ctrlKey || metaKey));
}

/** Where nothing is open the browser prints the page as it is; in the draft Ctrl+P may choose a suggestion. */
function canPrint(event: KeyboardEvent, store: PageStore): boolean {
  return !event.altKey && store.getState().transcript !== undefined;
}

/** By its place on the keyboard, unless it may write another letter: Option makes "ñ" and "ń" of the same key on a Mac. */
function isAlt({ altKey, key, code, target }: KeyboardEvent, letter: string): boolean {
  if (!altKey) return false;
  return isTextField(target) ? key.toLowerCase() === letter : code === `Key${letter.toUpperCase()}`;
}

function scroll(where: "start" | "end" | 1 | -1): void {
  const scroller = document.querySelector(".scroller");
  if (scroller === null) return;
  // A key that scrolls is a person's hand as much as the wheel is.
  scroller.dispatchEvent(new Event("wheel"));
  if (where === "start") scroller.scrollTop = 0;
  else if (where === "end") scroller.scrollTop = scroller.scrollHeight;
  else scroller.scrollBy({ top: where * scroller.clientHeight * 0.9 });
}

function step(store: PageStore, by: number): void {
  const { sessions, sessionId } = store.getState();
  const open = sessions.filter((one) => !one.archived).toSorted((a, b) => b.updatedTs - a.updatedTs);
  const at = open.findIndex((one) => one.sessionId === sessionId);
  const next = open[at < 0 ? 0 : at + by];
  if (next !== undefined) store.goTo({ sessionId: next.sessionId });
}
