/** The page: the session list, the open session, and dialogs. Layout only. */
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { focusDraft, focusDraftIfLost, isOfInputMethod, isTextField } from "../input/focus.ts";
import { listenForCopies } from "../markdown/code-frame.ts";
import { Panel } from "../panel/panel.tsx";
import { startNew } from "../sessions/session-life.ts";
import { SessionSidebar } from "../sessions/session-sidebar.tsx";
import { SearchPalette } from "../search/search-palette.tsx";
import { readSidebarHidden, storeSidebarHidden } from "../store/local-storage.ts";
import type { PageStore } from "../store/page-store.ts";
import type { OwnPage as OwnPageName } from "../store/route.ts";
import { PHONE, useMedia } from "../store/use-media.ts";
import { useApp, useHead, useStore } from "../store/use-store.ts";
import { FaultBoundary } from "../ui/error-boundary.tsx";
import { lazyView } from "../ui/lazy-view.tsx";
import { SessionView } from "./session-view.tsx";

const HelpDialog = lazyView(async () => (await import("./help-dialog.tsx")).HelpDialog);
const OwnPage = lazyView(async () => (await import("./own-page.tsx")).OwnPage);

export function App() {
  const [hasHelp, setHelp] = useState(false);
  const [isDrawerOpen, setDrawer] = useState(false);
  const [isHidden, setHidden] = useState(readSidebarHidden);
  const [query, setQuery] = useState<string>();
  const drawerButton = useRef<HTMLButtonElement>(null);
  const ownPage = useApp((state) => state.ownPage);
  const goBack = useBack();
  function openSidebar(): void {
    // Rendered synchronously: the focus goes into it.
    flushSync(() => (isWide() ? hide(false) : setDrawer(true)));
    document.querySelector<HTMLElement>(".side .find")?.focus();
  }
  function hide(isOn: boolean): void {
    setHidden(isOn);
    storeSidebarHidden(isOn);
  }
  /** Focus must not stay in the hidden sidebar. */
  function closeSidebar(): void {
    if (isWide()) hide(true);
    setDrawer(false);
    requestAnimationFrame(() => drawerButton.current?.focus());
  }
  function closeDrawer(): void {
    if (isDrawerOpen) drawerButton.current?.focus();
    setDrawer(false);
  }
  const search = (text?: string): void => setQuery((before) => text ?? before ?? "");
  const actions = { showHelp: () => setHelp(true), focusSearch: search };
  useShortcuts(actions);
  const page = useCopies();
  return (
    <div className="app" ref={page} data-drawer={isDrawerOpen} data-sidebar={isHidden ? "hidden" : "shown"}>
      <SessionSidebar onSearch={() => search()} onHide={closeSidebar} onDone={closeDrawer} />
      {isDrawerOpen ? <div className="backdrop" onClick={closeDrawer} aria-hidden="true" /> : null}
      <div className="sheet">
        <OwnPageSlot onSearch={() => search()} />
        <SessionView
          actions={actions}
          drawerButton={drawerButton}
          isDrawerOpen={isDrawerOpen}
          isBack={goBack !== undefined}
          isHidden={ownPage !== undefined}
          onDrawer={goBack ?? (isDrawerOpen ? closeDrawer : openSidebar)}
        />
        <PanelSlot />
      </div>
      <Toast />
      {hasHelp ? <HelpDialog onClose={() => setHelp(false)} /> : null}
      {query === undefined ? null : (
        <SearchPalette
          query={query}
          onQuery={setQuery}
          onClose={() => {
            setQuery(undefined);
            focusDraftIfLost();
          }}
        />
      )}
    </div>
  );
}

/** On phones: to the list that the session was opened from. */
function useBack(): (() => void) | undefined {
  const store = useStore();
  const isPhone = useMedia(PHONE);
  const page = useApp((state) => state.ownPage?.page);
  const list = useRef<OwnPageName>("inbox");
  if (page !== undefined && page !== "settings") list.current = page;
  return isPhone ? () => store.goTo({ page: list.current }) : undefined;
}

/** On phones it covers the session: the one that is opened next begins without. */
function usePanelLeft(): void {
  const store = useStore();
  const isPhone = useMedia(PHONE);
  const isLeft = useApp((state) => state.ownPage !== undefined);
  useEffect(() => {
    if (isPhone && isLeft) store.setPanel();
  }, [store, isPhone, isLeft]);
}

/** Below it the sidebar is a drawer. */
function isWide(): boolean {
  return matchMedia("(width >= 1100px)").matches;
}

function OwnPageSlot({ onSearch }: { onSearch: () => void }) {
  const ownPage = useApp((state) => state.ownPage);
  return ownPage === undefined ? null : (
    <FaultBoundary key={ownPage.page}>
      <OwnPage {...ownPage} onSearch={onSearch} />
    </FaultBoundary>
  );
}

/** The panel is about a session, and none has begun on the empty page. */
function PanelSlot() {
  usePanelLeft();
  const sessionId = useHead((head) => head.sessionId);
  const isOpen = useApp((state) => state.panel !== undefined && state.ownPage === undefined);
  return isOpen && sessionId !== undefined ? (
    <FaultBoundary key={sessionId}>
      <Panel sessionId={sessionId} />
    </FaultBoundary>
  ) : null;
}

/** Copy buttons of code blocks anywhere on the page. */
function useCopies(): RefObject<HTMLDivElement | null> {
  const store = useStore();
  const page = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (page.current === null) return undefined;
    return listenForCopies(page.current, (problem) => store.showProblem(problem));
  }, [store]);
  return page;
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
  else if (key === "End" && (isControl || !isCaretKey(event))) scroll("end");
  else if (key === "Home" && !isCaretKey(event)) scroll("start");
  else if (isAlt(event, "n")) startNew(store);
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

/** A notice of success, for some seconds. */
function Toast() {
  const note = useApp((state) => state.note);
  const action = useApp((state) => state.noteAction);
  return (
    <div className="toast" role="status" data-shown={note !== ""}>
      {note}
      {action === undefined ? null : <ToastAction {...action} />}
    </div>
  );
}

/** Takes the focus of what is gone, such as the row of a deleted session, and gives it to the draft. */
function ToastAction({ label, run }: { readonly label: string; readonly run: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const own = button.current;
    const frame = requestAnimationFrame(() => {
      if (document.activeElement === document.body) own?.focus();
    });
    return () => {
      cancelAnimationFrame(frame);
      if (document.activeElement === own) requestAnimationFrame(() => focusDraft());
    };
  }, []);
  return (
    <button ref={button} type="button" className="btn sm" onClick={run}>
      {label}
    </button>
  );
}
