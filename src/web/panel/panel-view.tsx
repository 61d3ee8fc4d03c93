/** The panel: beside the conversation on wide windows, a drawer below that, and the whole screen of a phone. */
import { useEffect, useRef, useState } from "react";
import type { TouchedFiles, WorkspaceChanges } from "../../protocol/index.ts";
import { membersInOrder } from "../../transcript/index.ts";
import type { PanelTab } from "../store/app-state.ts";
import { useMedia } from "../store/use-media.ts";
import { useApp, useHead, useStore } from "../store/use-store.ts";
import { IconButton } from "../ui/button.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { ChangesView } from "./changes-view.tsx";
import { FilesView } from "./files-view.tsx";
import { MembersView } from "./members-view.tsx";
import { MinutesView } from "./minutes-view.tsx";
import { useRemote, useWorkVersion, workspacePath } from "./use-remote.ts";
import "../style/panel.css";

/** Below this width there is no room beside the conversation. */
const NARROW = "(max-width: 1099px)";

export function PanelView({ sessionId }: { sessionId: string }) {
  const isNarrow = useMedia(NARROW);
  return isNarrow ? <PanelDialog sessionId={sessionId} /> : <PanelAside sessionId={sessionId} />;
}

/** Opened by its button it takes the focus; Escape closes it and stops nobody. */
function PanelAside({ sessionId }: { sessionId: string }) {
  const store = useStore();
  const [isWide, setWide] = useState(false);
  const aside = useRef<HTMLElement>(null);
  useEffect(() => {
    if (document.activeElement === panelButton())
      aside.current?.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus();
  }, []);
  return (
    <aside
      ref={aside}
      className="panel"
      aria-label="Panel"
      data-wide={isWide}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented || event.nativeEvent.isComposing) return;
        event.stopPropagation();
        // An open menu is closed first.
        if (document.querySelector("[popover]:popover-open") !== null) return;
        store.setPanel();
        panelButton()?.focus();
      }}
    >
      <PanelContent sessionId={sessionId} isWide={isWide} onWiden={() => setWide(!isWide)} />
    </aside>
  );
}

function panelButton(): HTMLElement | null {
  return document.querySelector<HTMLElement>(".panel-button");
}

/** Modal: the page behind it is inert, Escape closes it. */
function PanelDialog({ sessionId }: { sessionId: string }) {
  const store = useStore();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="panel"
      aria-label="Panel"
      onClose={() => store.setPanel()}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) currentTarget.close();
      }}
      // Keys here are for the panel only.
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div className="panel-sheet">
        <PanelContent sessionId={sessionId} />
      </div>
    </dialog>
  );
}

interface ContentProps {
  readonly sessionId: string;
  readonly isWide?: boolean;
  readonly onWiden?: () => void;
}

const LABELS: Readonly<Record<PanelTab, string>> = {
  changes: "Changes",
  files: "Files",
  members: "Members",
  minutes: "Minutes",
};

function PanelContent({ sessionId, isWide = false, onWiden }: ContentProps) {
  const store = useStore();
  const panel = useApp((state) => state.panel);
  const version = useWorkVersion();
  const changes = useRemote<WorkspaceChanges>(workspacePath(sessionId, "changes", { against: "start" }), version);
  const touched = useRemote<TouchedFiles>(workspacePath(sessionId, "touched"), version).value;
  const memberCount = useHead((head) => membersInOrder(head).length) ?? 0;
  const { tab = "changes", path, line } = panel ?? {};
  const files = changes.value?.files ?? [];
  const counts: Partial<Record<PanelTab, number>> = { changes: files.length, members: memberCount };
  const tabs = (Object.keys(LABELS) as PanelTab[]).map((id) => ({
    id,
    label: (
      <>
        {LABELS[id]}
        {(counts[id] ?? 0) === 0 ? null : <span className="n">{counts[id]}</span>}
      </>
    ),
  }));
  return (
    <>
      <div className="ptabs">
        <Tabs
          label="Panel"
          prefix="panel"
          className="panel-tabs"
          tabs={tabs}
          chosen={tab}
          onChoose={(id) => store.setPanel({ tab: id as PanelTab })}
        />
        <span className="grow" />
        {onWiden === undefined ? null : (
          <IconButton
            icon="maximize-2"
            label={isWide ? "Narrow panel" : "Widen panel"}
            isOn={isWide}
            onClick={onWiden}
          />
        )}
        <IconButton icon="x" label="Close panel" onClick={() => store.setPanel()} />
      </div>
      <div className="panel-tab" role="tabpanel" id={`panel-panel-${tab}`} aria-labelledby={`panel-tab-${tab}`}>
        {tab === "changes" ? <ChangesView {...{ sessionId, touched, path }} sinceStart={changes} /> : null}
        {tab === "files" ? <FilesView {...{ sessionId, touched, changes: files, path, line }} /> : null}
        {tab === "members" ? <MembersView /> : null}
        {tab === "minutes" ? <MinutesView /> : null}
      </div>
    </>
  );
}
