/** The page: sessions beside the open one, and what lies over them. Layout only. */
import { useEffect, useRef, useState, type RefObject } from "react";
import { flushSync } from "react-dom";
import { listenForCopies } from "../markdown/code-frame.ts";
import { SessionSidebar } from "../sessions/session-sidebar.tsx";
import { useStore } from "../store/use-store.ts";
import { HelpDialog } from "./help-dialog.tsx";
import { SessionView } from "./session-view.tsx";
import { useShortcuts } from "./shortcuts.ts";

export function App() {
  const [hasHelp, setHelp] = useState(false);
  const [isDrawerOpen, setDrawer] = useState(false);
  const [query, setQuery] = useState("");
  const search = useRef<HTMLInputElement>(null);
  const drawerButton = useRef<HTMLButtonElement>(null);
  function openDrawer(): void {
    // The drawer is shown first, and at once: the next letters are for the search already.
    flushSync(() => setDrawer(true));
    search.current?.focus();
  }
  /** Focus must not stay in what is no longer seen. */
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
    <div className="page" ref={page} data-drawer={isDrawerOpen}>
      <SessionSidebar search={search} query={query} onQuery={setQuery} onDone={closeDrawer} />
      {isDrawerOpen ? <div className="backdrop" onClick={closeDrawer} aria-hidden="true" /> : null}
      <SessionView
        actions={actions}
        drawerButton={drawerButton}
        isDrawerOpen={isDrawerOpen}
        onDrawer={isDrawerOpen ? closeDrawer : openDrawer}
      />
      {hasHelp ? <HelpDialog onClose={() => setHelp(false)} /> : null}
    </div>
  );
}

/** For code wherever it is drawn: in the conversation, side by side, on the page of a subagent. */
function useCopies(page: RefObject<HTMLElement | null>): void {
  const store = useStore();
  useEffect(() => {
    if (page.current === null) return undefined;
    return listenForCopies(page.current, (problem) => store.showProblem(problem));
  }, [store, page]);
}
