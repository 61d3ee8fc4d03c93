/** The open session: its header, the conversation, and everything that stands between it and the draft. */
import { useMemo, useState, type ReactNode, type RefObject } from "react";
import { CompareDialog } from "../compare/compare-dialog.tsx";
import { LogOrAgent } from "../conversation/log-or-agent.tsx";
import { Composer } from "../input/composer.tsx";
import { MessageQueue } from "../queue/message-queue.tsx";
import { PendingSends } from "../queue/pending-sends.tsx";
import type { PageActions } from "../commands/command.ts";
import { MemberStrip } from "../members/member-strip.tsx";
import { ModelDialog } from "../members/model-dialog.tsx";
import { WritableMark } from "../members/writable-mark.tsx";
import { printSession } from "../print/print-session.tsx";
import { createReplayStore } from "../replay/replay-store.ts";
import { ReplayView } from "../replay/replay-view.tsx";
import { PermissionsDialog } from "../requests/permissions-dialog.tsx";
import { RequestDeck } from "../requests/request-deck.tsx";
import type { PageStore } from "../store/page-store.ts";
import { StoreContext, useApp, useHead, useStore } from "../store/use-store.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { ConnectionBanner } from "./connection-banner.tsx";
import { Widgets } from "./widgets.tsx";

interface DrawerProps {
  readonly drawerButton: RefObject<HTMLButtonElement | null>;
  readonly isDrawerOpen: boolean;
  readonly onDrawer: () => void;
}

export interface SessionViewProps extends DrawerProps {
  readonly actions: Omit<PageActions, "showReplay" | "showModels" | "showPermissions" | "print">;
}

export function SessionView({ actions, ...drawer }: SessionViewProps) {
  const opening = useApp((state) => state.opening);
  const isThere = useApp(({ transcript }) => transcript !== undefined);
  const [models, setModels] = useState<{ readonly member?: string }>();
  const [hasPermissions, setPermissions] = useState(false);
  const showPermissions = (): void => setPermissions(true);
  const store = useStore();
  const viewing = useApp((state) => state.viewing);
  const isReplaying = viewing?.view === "replay" && isThere;
  // Another opening is another replay.
  const replay = useMemo(() => (isReplaying ? createReplayStore(store) : undefined), [isReplaying, opening, store]);
  const goTo = (view?: "replay", at?: number): void => {
    const { sessionId } = store.getState();
    if (sessionId === undefined) return;
    store.goTo({ sessionId, ...(view === undefined ? {} : { view }), ...(at === undefined ? {} : { seq: at }) });
  };
  return (
    <MainAtSeq>
      <ConnectionBanner />
      <SessionHeader
        {...drawer}
        replay={replay?.store}
        onReplay={() => goTo("replay")}
        onPermissions={showPermissions}
      />
      {replay !== undefined ? (
        <ReplayView key={opening} replay={replay} fromSeq={viewing?.seq} onLeave={() => goTo()} />
      ) : (
        <LogOrAgent key={opening} />
      )}
      {isReplaying ? null : <CompareDialog />}
      {models === undefined ? null : <ModelDialog member={models.member} onClose={() => setModels(undefined)} />}
      {hasPermissions ? <PermissionsDialog key={opening} onClose={() => setPermissions(false)} /> : null}
      <div className="below" hidden={isReplaying}>
        <Widgets />
        <PendingSends />
        <MessageQueue />
        <RequestDeck />
        <Composer
          actions={{
            ...actions,
            showReplay: (at) => goTo("replay", at),
            showModels: (member) => setModels(member === undefined ? {} : { member }),
            showPermissions,
            print: () => printSession(store),
          }}
        />
      </div>
    </MainAtSeq>
  );
}

interface HeaderProps extends DrawerProps {
  /** Whose moment is shown instead of the live one. */
  readonly replay: PageStore | undefined;
  readonly onReplay: () => void;
  readonly onPermissions: () => void;
}

function SessionHeader({ drawerButton, isDrawerOpen, onDrawer, replay, onReplay, onPermissions }: HeaderProps) {
  const live = useStore();
  const title = useHead((head) => head.title);
  const isNew = useApp((state) => state.sessionId === undefined);
  const isThere = useApp(({ transcript }) => transcript !== undefined);
  const isUnopened = useApp((state) => state.isUnopened);
  const nameless = isNew ? "New session" : isUnopened ? "No session" : "Untitled";
  return (
    <header className="bar">
      <button
        ref={drawerButton}
        type="button"
        className="drawer-button"
        aria-expanded={isDrawerOpen}
        onClick={onDrawer}
      >
        <span aria-hidden="true">☰</span>
        <span className="unseen">Sessions</span>
      </button>
      <h1 dir="auto">{title === undefined || title === "" ? nameless : inPlainSight(title)}</h1>
      {!isThere || replay !== undefined ? null : (
        <>
          <button type="button" className="quiet bar-action" aria-haspopup="dialog" onClick={onPermissions}>
            Permissions
          </button>
          <button type="button" className="quiet bar-action" onClick={onReplay}>
            Replay
          </button>
        </>
      )}
      {/* Who sits there, what each does and which round it is are those of the moment that is shown. */}
      <StoreContext value={replay ?? live}>
        <WritableMark />
        <MemberStrip />
      </StoreContext>
    </header>
  );
}

/** Says how far the page has come, and in which session. By itself: of what is inside, only what has changed is drawn again. */
function MainAtSeq({ children }: { children: ReactNode }) {
  const sessionId = useHead((head) => head.sessionId);
  const seq = useHead((head) => head.seq);
  return (
    <main data-session={sessionId} data-seq={seq}>
      {children}
    </main>
  );
}
