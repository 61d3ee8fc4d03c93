/** The page: sessions beside the open one, and what lies over them. Layout only. */
import { useRef, useState } from "react";
import { SessionSidebar } from "../sessions/session-sidebar.tsx";
import { HelpDialog } from "./help-dialog.tsx";
import { SessionView } from "./session-view.tsx";
import { useShortcuts } from "./shortcuts.ts";

export function App() {
  const [hasHelp, setHelp] = useState(false);
  const [isDrawerOpen, setDrawer] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const doors = {
    showHelp: () => setHelp(true),
    focusSearch: () => {
      setDrawer(true);
      // The drawer is shown first.
      requestAnimationFrame(() => search.current?.focus());
    },
  };
  useShortcuts(doors);
  return (
    <div className="page" data-drawer={isDrawerOpen}>
      <SessionSidebar search={search} onDone={() => setDrawer(false)} />
      {isDrawerOpen ? <div className="backdrop" onClick={() => setDrawer(false)} aria-hidden="true" /> : null}
      <SessionView doors={doors} isDrawerOpen={isDrawerOpen} onDrawer={() => setDrawer(!isDrawerOpen)} />
      {hasHelp ? <HelpDialog onClose={() => setHelp(false)} /> : null}
    </div>
  );
}
