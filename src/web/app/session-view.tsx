/** The open session: header, conversation, and everything between it and the draft. */
import { type ReactNode, useEffect, useMemo, useState } from "react";
import type { ConnectionState } from "../../client/index.ts";
import type { PageActions } from "../commands/command.ts";
import { LogOrAgent } from "../conversation/conversation-log.tsx";
import { Composer } from "../input/composer.tsx";
import { useFolder } from "../input/composer-chips.tsx";
import { ModelDialog } from "../members/model-picker.tsx";
import { MessageQueue, PendingSends } from "../queue/message-queue.tsx";
import { createReplayStore } from "../replay/replay-store.ts";
import { RequestDeck } from "../requests/request-deck.tsx";
import { useIsTeam } from "../sign-in/use-is-team.ts";
import { useApp, useHead, useStore } from "../store/use-store.ts";
import { FaultBoundary } from "../ui/error-boundary.tsx";
import { lazyView } from "../ui/lazy-view.tsx";
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
  const facts = useFolderFacts(useFolder());
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
      <SessionHeader {...drawer} replay={replay?.store} branch={facts.branch} onPermissions={showPermissions} />
      <ConnectionBanner />
      <FaultBoundary key={`${opening} ${isReplaying}`}>
        {replay !== undefined ? (
          <ReplayView replay={replay} fromSeq={viewing?.seq} onLeave={() => goTo()} />
        ) : (
          <LogOrEmpty />
        )}
      </FaultBoundary>
      {models === undefined ? null : <ModelDialog member={models.member} onClose={() => setModels(undefined)} />}
      {hasPermissions ? <PermissionsDialog key={opening} onClose={() => setPermissions(false)} /> : null}
      <div className="below" hidden={isReplaying}>
        <Widgets />
        <PendingSends />
        <MessageQueue />
        <FaultBoundary key={opening}>
          <RequestDeck />
        </FaultBoundary>
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
      {isNew ? <EmptyIdeas facts={facts} /> : null}
    </MainAtSeq>
  );
}

/** The draft is centred between the two halves of the empty page, and stays where it is in the tree when it begins. */
function LogOrEmpty() {
  const isNew = useApp((state) => state.sessionId === undefined);
  return isNew ? <EmptyHero /> : <LogOrAgent />;
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

/** Shorter interruptions are not shown. */
const QUIET_MS = 400;

const TICK_MS = 250;

/** About a lost connection, a failing store, or the end of the session. */
function ConnectionBanner() {
  const store = useStore();
  const ended = useApp((state) => state.ended);
  const storeProblem = useApp((state) => state.storeProblem);
  const reason = useApp((state) => state.connection.reason);
  const next = useNextTry();
  const isOffline = ended === undefined && next !== "";
  const message = ended ?? sentence(isOffline ? reason : storeProblem);
  if (message === "" && !isOffline) return null;
  return (
    <p className="banner" role="alert">
      <span>
        {isOffline ? <Trying next={next} /> : null}
        {message}
        {isOffline ? <WhatHelps /> : null}
      </span>
      {isOffline ? (
        <button type="button" onClick={() => store.client.hint("online")}>
          Try now
        </button>
      ) : null}
      {ended === undefined ? null : (
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      )}
    </p>
  );
}

function WhatHelps() {
  if (useIsTeam()) return <> If this continues, ask your team's administrator.</>;
  return (
    <>
      {" "}
      If it isn't running, start it with <code>roundtable web</code>.
    </>
  );
}

/** The countdown is hidden from screen readers, which would read every second. */
function Trying({ next }: { next: string }) {
  return (
    <>
      Disconnected. Retrying<span aria-hidden="true"> {next}</span>.{" "}
    </>
  );
}

/** Time of the next attempt; empty when there is nothing to show. */
function useNextTry(): string {
  const state = useApp((app) => app.connection);
  const isOnline = state.state === "online";
  const [next, setNext] = useState("");
  useEffect(() => {
    if (isOnline) {
      setNext("");
      return undefined;
    }
    const since = performance.now();
    const draw = (): void => setNext(formatNextTry(state, since));
    // Keeps a visible message.
    setNext((before) => (before === "" ? "" : formatNextTry(state, since)));
    let timer = setTimeout(function tick() {
      draw();
      timer = setTimeout(tick, TICK_MS);
    }, QUIET_MS);
    return () => clearTimeout(timer);
  }, [isOnline, state]);
  return next;
}

function formatNextTry(state: ConnectionState, since: number): string {
  const leftMs = since + state.nextInMs - performance.now();
  return state.state === "offline" && leftMs > 0 ? `in ${Math.ceil(leftMs / 1000)} s` : "now";
}

function sentence(text: string): string {
  if (text === "") return "";
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
}
