/** The open session: header, conversation, and everything between it and the draft. */
import { type ReactNode, useMemo, useState } from "react";
import type { PageActions } from "../commands/command.ts";
import { LogOrAgent } from "../conversation/conversation-log.tsx";
import { Composer } from "../input/composer.tsx";
import { ModelDialog } from "../members/model-picker.tsx";
import { MessageQueue, PendingSends } from "../queue/message-queue.tsx";
import { createReplayStore } from "../replay/replay-store.ts";
import { RequestDeck } from "../requests/request-deck.tsx";
import { useApp, useHead, useStore } from "../store/use-store.ts";
import { lazyView } from "../ui/lazy-view.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { EmptyHero, EmptyIdeas, useFolderFacts } from "./empty-page.tsx";
import { type DrawerProps, SessionHeader } from "./session-header.tsx";

const PermissionsDialog = lazyView(async () => (await import("../requests/permissions-dialog.tsx")).PermissionsDialog);
const ReplayView = lazyView(async () => (await import("../replay/replay-view.tsx")).ReplayView);

export interface SessionViewProps extends DrawerProps {
  /** Behind a page of its own; it stays there, so that nothing that was typed is lost. */
  readonly isHidden: boolean;
  readonly actions: Omit<PageActions, "showReplay" | "showModels" | "showPermissions" | "print">;
}

export function SessionView({ actions, isHidden, ...drawer }: SessionViewProps) {
  const opening = useApp((state) => state.opening);
  const isThere = useApp(({ transcript }) => transcript !== undefined);
  const [models, setModels] = useState<{ readonly member?: string }>();
  const [hasPermissions, setPermissions] = useState(false);
  const showPermissions = (): void => setPermissions(true);
  const isNew = useApp((state) => state.sessionId === undefined);
  const store = useStore();
  const viewing = useApp((state) => state.viewing);
  const isReplaying = viewing?.view === "replay" && isThere;
  // Each opening is a new replay.
  const replay = useMemo(() => (isReplaying ? createReplayStore(store) : undefined), [isReplaying, opening, store]);
  const goTo = (view?: "replay", at?: number): void => {
    const { sessionId } = store.getState();
    if (sessionId === undefined) return;
    store.goTo({ sessionId, ...(view === undefined ? {} : { view }), ...(at === undefined ? {} : { seq: at }) });
  };
  return (
    <MainAtSeq isHidden={isHidden}>
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
        <LogOrEmpty key={opening} />
      )}
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
            print: async () => (await import("../print/print-session.tsx")).printSession(store),
          }}
        />
      </div>
      {isNew ? <Ideas /> : null}
    </MainAtSeq>
  );
}

/** The draft is centred between the two halves of the empty page, and stays where it is in the tree when it begins. */
function LogOrEmpty() {
  const isNew = useApp((state) => state.sessionId === undefined);
  return isNew ? <EmptyHero /> : <LogOrAgent />;
}

function Ideas() {
  return <EmptyIdeas facts={useFolderFacts(useApp((state) => state.planned.cwd))} />;
}

/**
 * Exposes the rendered seq and session as attributes. A component of its own, so that its children do not render again.
 */
function MainAtSeq({ isHidden, children }: { isHidden: boolean; children: ReactNode }) {
  const sessionId = useHead((head) => head.sessionId);
  const seq = useHead((head) => head.seq);
  const isNew = useApp((state) => state.sessionId === undefined);
  return (
    <main className="main" data-empty={isNew} data-session={sessionId} data-seq={seq} hidden={isHidden}>
      {children}
    </main>
  );
}

/** Widgets of agents, always rendered as text. */
function Widgets() {
  const widgets = useHead((head) => head.ui.widgets);
  const entries = Object.entries(widgets ?? {});
  if (entries.length === 0) return null;
  return (
    <section className="widgets" aria-label="From the agents" tabIndex={0}>
      {entries.map(([key, { content }]) => (
        <div key={key} className="widget">
          <span className="fact">{key}</span>
          <pre dir="auto">{typeof content === "string" ? content : content.join("\n")}</pre>
        </div>
      ))}
    </section>
  );
}
