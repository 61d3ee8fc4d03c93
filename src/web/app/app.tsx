/** The page: the session list, the open session, and dialogs. Layout only. */
import { type RefObject, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { webCommands } from "../commands/commands.ts";
import { isOfInputMethod, isTextField } from "../input/focus.ts";
import { listenForCopies } from "../markdown/code-frame.ts";
import { Panel } from "../panel/panel.tsx";
import { SessionSidebar } from "../sessions/session-sidebar.tsx";
import type { PageStore } from "../store/page-store.ts";
import { useApp, useHead, useStore } from "../store/use-store.ts";
import { SessionView } from "./session-view.tsx";

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ["Enter", "send; steer while members speak"],
  ["Shift+Enter, Ctrl+J", "a new line"],
  ["Tab", "queue, while members speak and something is written"],
  ["Alt+↑", "take the newest queued message back"],
  ["Escape", "interrupt; on a request: back to the draft"],
  ["Shift+Tab", "from the draft to the request"],
  ["1 … 9", "on a request: answer it"],
  ["@ /", "members and files; commands (↑ ↓ choose, Enter takes, Escape leaves)"],
  ["Page Up, Page Down", "scroll the conversation"],
  ["Ctrl+Home, Ctrl+End", "go to the start or the end of the conversation"],
  ["Ctrl+P", "print the whole session"],
  ["Ctrl+K", "find a session, or words in any"],
  ["Alt+N", "a new session (on a Mac outside of the draft)"],
  ["Alt+J, Alt+K", "the next and the previous session (likewise)"],
  ["Space, ← →, Shift+← →", "in a replay: play, one event, a message of yours"],
  ["?", "this help, while nothing is written"],
];

export function App() {
  const [hasHelp, setHelp] = useState(false);
  const [isDrawerOpen, setDrawer] = useState(false);
  const [query, setQuery] = useState("");
  const search = useRef<HTMLInputElement>(null);
  const drawerButton = useRef<HTMLButtonElement>(null);
  function openDrawer(): void {
    // Rendered synchronously: the next key presses are for the search field.
    flushSync(() => setDrawer(true));
    search.current?.focus();
  }
  /** Focus must not stay in the hidden drawer. */
  function closeDrawer(): void {
    if (isDrawerOpen) drawerButton.current?.focus();
    setDrawer(false);
  }
  function find(text?: string): void {
    if (text !== undefined) setQuery(text);
    openDrawer();
  }
  const actions = { showHelp: () => setHelp(true), focusSearch: find };
  useShortcuts(actions);
  const page = useRef<HTMLDivElement>(null);
  useCopies(page);
  return (
    <div className="app" ref={page} data-drawer={isDrawerOpen}>
      <SessionSidebar search={search} query={query} onQuery={setQuery} onDone={closeDrawer} />
      {isDrawerOpen ? <div className="backdrop" onClick={closeDrawer} aria-hidden="true" /> : null}
      <div className="sheet">
        <SessionView
          actions={actions}
          drawerButton={drawerButton}
          isDrawerOpen={isDrawerOpen}
          onDrawer={isDrawerOpen ? closeDrawer : openDrawer}
        />
        <PanelSlot />
      </div>
      {hasHelp ? <HelpDialog onClose={() => setHelp(false)} /> : null}
    </div>
  );
}

/** The panel is about a session, and none has begun on the empty page. */
function PanelSlot() {
  const sessionId = useHead((head) => head.sessionId);
  const isOpen = useApp((state) => state.panel !== undefined);
  return isOpen && sessionId !== undefined ? <Panel key={sessionId} sessionId={sessionId} /> : null;
}

/** Copy buttons of code blocks anywhere on the page. */
function useCopies(page: RefObject<HTMLElement | null>): void {
  const store = useStore();
  useEffect(() => {
    if (page.current === null) return undefined;
    return listenForCopies(page.current, (problem) => store.showProblem(problem));
  }, [store, page]);
}

function HelpDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} className="help" aria-label="Keys and commands" onClose={onClose}>
      <header>
        <h2>Keys and commands</h2>
        <button type="button" className="btn sm quiet" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      <div className="help-columns">
        <dl>
          {KEYS.map(([keys, does]) => (
            <div key={keys}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <dl>
          {webCommands.map(({ usage, summary }) => (
            <div key={usage}>
              <dt>
                <code>{usage}</code>
              </dt>
              <dd>{summary}</dd>
            </div>
          ))}
        </dl>
      </div>
    </dialog>
  );
}

/** Global shortcuts. None is a printable key while a text field has the focus. */
interface ShortcutActions {
  readonly showHelp: () => void;
  readonly focusSearch: () => void;
}

function useShortcuts(actions: ShortcutActions): void {
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

/** True when the key was handled. */
function act(event: KeyboardEvent, store: PageStore, { showHelp, focusSearch }: ShortcutActions): boolean {
  const { key } = event;
  const isControl = event.ctrlKey || event.metaKey;
  if (key === "Escape") void store.interrupt();
  else if (key === "?" && !isTextField(event.target)) showHelp();
  else if (isControl && key === "k") focusSearch();
  else if (isControl && key === "p" && !event.shiftKey && canPrint(event, store))
    void store.guarded(async () => (await import("../print/print-session.tsx")).printSession(store));
  else if (isControl && key === "End") scroll("end");
  else if (key === "Home" && !isCaretKey(event)) scroll("start");
  else if (isAlt(event, "n")) store.goTo({});
  else if (isAlt(event, "j")) step(store, 1);
  else if (isAlt(event, "k")) step(store, -1);
  else if (key === "PageUp" || key === "PageDown") scroll(key === "PageUp" ? -1 : 1);
  else return false;
  return key !== "Escape";
}

/** In text it moves the caret; in an empty field only Control with it has no effect. */
function isCaretKey({ target, ctrlKey, metaKey }: KeyboardEvent): boolean {
  if (!isTextField(target)) return false;
  const isEmpty = target instanceof HTMLTextAreaElement && target.value === "";
  return !(isEmpty && (ctrlKey || metaKey));
}

/** Without an open session the browser prints the page; in the draft Ctrl+P may choose a suggestion. */
function canPrint(event: KeyboardEvent, store: PageStore): boolean {
  return !event.altKey && store.getState().transcript !== undefined;
}

/** By key position, unless it could type a letter: on a Mac, Option makes "ñ" and "ń" of the same key. */
function isAlt({ altKey, key, code, target }: KeyboardEvent, letter: string): boolean {
  if (!altKey) return false;
  return isTextField(target) ? key.toLowerCase() === letter : code === `Key${letter.toUpperCase()}`;
}

function scroll(where: "start" | "end" | 1 | -1): void {
  const scroller = document.querySelector(".scroller");
  if (scroller === null) return;
  // A key that scrolls counts as user input like the wheel.
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
