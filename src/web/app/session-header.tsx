/** The header of the sheet: title, members, and what can be done with the session. */
import type { RefObject } from "react";
import { inPlainSight } from "../format/plain-sight.ts";
import { MemberStrip, WritableMark } from "../members/member-strip.tsx";
import { PanelButton } from "../panel/panel.tsx";
import { SessionMenu } from "../sessions/session-menu.tsx";
import type { PageStore } from "../store/page-store.ts";
import { StoreContext, useApp, useHead, useStore } from "../store/use-store.ts";
import { Icon } from "../ui/icon.tsx";

export interface DrawerProps {
  readonly drawerButton: RefObject<HTMLButtonElement | null>;
  readonly isDrawerOpen: boolean;
  /** A phone has no sidebar: back to the list. */
  readonly isBack: boolean;
  readonly onDrawer: () => void;
}

interface HeaderProps extends DrawerProps {
  /** The store of the replay, when one is shown instead of the live session. */
  readonly replay: PageStore | undefined;
  readonly onReplay: () => void;
  readonly onPermissions: () => void;
}

export function SessionHeader({
  drawerButton,
  isDrawerOpen,
  isBack,
  onDrawer,
  replay,
  onReplay,
  onPermissions,
}: HeaderProps) {
  const live = useStore();
  const title = useHead((head) => head.title);
  const sessionId = useApp((state) => state.sessionId);
  const isNew = sessionId === undefined;
  const isThere = useApp(({ transcript }) => transcript !== undefined);
  const isUnopened = useApp((state) => state.isUnopened);
  const nameless = isNew ? "New session" : isUnopened ? "No session" : "Untitled";
  return (
    <header className="bar">
      <button
        ref={drawerButton}
        type="button"
        className="ib drawer-button"
        aria-expanded={isBack ? undefined : isDrawerOpen}
        onClick={onDrawer}
      >
        <Icon name={isBack ? "chevron-left" : "panel-left"} />
        <span className="unseen">{isBack ? "Back" : "Sessions"}</span>
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
          {sessionId === undefined ? null : <SessionMenu sessionId={sessionId} />}
          <PanelButton />
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
