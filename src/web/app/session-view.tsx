/** The open session: header, conversation, and everything between it and the draft. */
import { type ReactNode, type RefObject, useEffect, useMemo, useState } from "react";
import type { ConnectionState } from "../../client/index.ts";
import type { PageActions } from "../commands/command.ts";
import { LogOrAgent } from "../conversation/agent-page.tsx";
import { inPlainSight } from "../format/plain-sight.ts";
import { Composer } from "../input/composer.tsx";
import { MemberStrip, WritableMark } from "../members/member-strip.tsx";
import { ModelDialog } from "../members/model-picker.tsx";
import { MessageQueue, PendingSends } from "../queue/message-queue.tsx";
import { createReplayStore } from "../replay/replay-store.ts";
import { RequestDeck } from "../requests/request-deck.tsx";
import type { PageStore } from "../store/page-store.ts";
import { StoreContext, useApp, useHead, useStore } from "../store/use-store.ts";
import { Icon } from "../ui/icon.tsx";
import { lazyView } from "../ui/lazy-view.tsx";

const CompareDialog = lazyView(async () => (await import("../compare/compare-dialog.tsx")).CompareDialog);
const PermissionsDialog = lazyView(async () => (await import("../requests/permissions-dialog.tsx")).PermissionsDialog);
const ReplayView = lazyView(async () => (await import("../replay/replay-view.tsx")).ReplayView);

/** Shorter interruptions are not shown. */
const QUIET_MS = 400;

const TICK_MS = 250;

/** A restarted server has another address, and this page would retry for ever. */
const RESTARTED = "If the server has restarted, run `roundtable web` for a new link.";

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
  const isComparing = useApp((state) => state.comparing !== undefined);
  const [models, setModels] = useState<{ readonly member?: string }>();
  const [hasPermissions, setPermissions] = useState(false);
  const showPermissions = (): void => setPermissions(true);
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
      {isReplaying || !isComparing ? null : <CompareDialog />}
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
    </MainAtSeq>
  );
}

interface HeaderProps extends DrawerProps {
  /** The store of the replay, when one is shown instead of the live session. */
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
        className="ib drawer-button"
        aria-expanded={isDrawerOpen}
        onClick={onDrawer}
      >
        <Icon name="panel-left" />
        <span className="unseen">Sessions</span>
      </button>
      <h1 dir="auto">{title === undefined || title === "" ? nameless : inPlainSight(title)}</h1>
      {!isThere || replay !== undefined ? null : (
        <>
          <button type="button" className="btn sm quiet bar-action" aria-haspopup="dialog" onClick={onPermissions}>
            Permissions
          </button>
          <button type="button" className="btn sm quiet bar-action" onClick={onReplay}>
            Replay
          </button>
        </>
      )}
      {/** Members, their states and the round are those of the shown moment. */}
      <StoreContext value={replay ?? live}>
        <WritableMark />
        <MemberStrip />
      </StoreContext>
    </header>
  );
}

/**
 * Exposes the rendered seq and session as attributes. A component of its own, so that its children do not render again.
 */
function MainAtSeq({ children }: { children: ReactNode }) {
  const sessionId = useHead((head) => head.sessionId);
  const seq = useHead((head) => head.seq);
  return (
    <main data-session={sessionId} data-seq={seq}>
      {children}
    </main>
  );
}

/** Banner about a lost connection, a failing store, or the end of the session. */
function ConnectionBanner() {
  const store = useStore();
  const ended = useApp((state) => state.ended);
  const storeProblem = useApp((state) => state.storeProblem);
  const reason = useApp((state) => state.connection.reason);
  const next = useNextTry();
  const isOffline = ended === undefined && next !== "";
  const message = ended ?? (isOffline ? `${sentence(reason)} ${RESTARTED}`.trim() : sentence(storeProblem));
  if (message === "" && !isOffline) return null;
  return (
    <p className="banner" role="alert">
      <span>
        {isOffline ? <Trying next={next} /> : null}
        {message}
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
