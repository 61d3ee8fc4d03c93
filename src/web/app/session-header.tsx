/** The header of the sheet: title, folder and branch, round and cost, and what can be done with the session. */
import type { RefObject } from "react";
import { capMeters, type Head, meterLine, roundLine, roundView } from "../../transcript/index.ts";
import { ColumnsButton } from "../conversation/turn-columns.tsx";
import { folderName } from "../format/folder-name.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { formatCost, formatDuration, formatTokens, plural } from "../format/units.ts";
import { useFolder, useHasNoMachine } from "../input/composer-chips.tsx";
import { PanelButton } from "../panel/panel.tsx";
import { machineOf } from "../sessions/group-sessions.ts";
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
  /** Of the session's folder, or of the one in which it will begin. */
  readonly branch: string | undefined;
  readonly onPermissions: () => void;
}

export function SessionHeader({ replay, branch, onPermissions, ...drawer }: HeaderProps) {
  const { drawerButton, isDrawerOpen, isBack, onDrawer } = drawer;
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
      <h1 className="cut" dir="auto">
        {title === undefined || title === "" ? nameless : inPlainSight(title)}
      </h1>
      {isThere || isNew ? <Crumb branch={branch} isReplay={replay !== undefined} /> : null}
      <span className="grow" />
      {/** The round and what it has cost are those of the shown moment. */}
      <StoreContext value={replay ?? live}>
        <SessionFacts />
      </StoreContext>
      {!isThere || replay !== undefined || sessionId === undefined ? null : (
        <span className="bar-actions">
          <ColumnsButton />
          <SessionMenu sessionId={sessionId} onPermissions={onPermissions} />
          <PanelButton />
        </span>
      )}
    </header>
  );
}

/** Folder and branch. Whether members may change files there is said by the composer, which a replay does not have. */
function Crumb({ branch, isReplay }: { branch: string | undefined; isReplay: boolean }) {
  const cwd = useFolder();
  const hasNoMachine = useHasNoMachine();
  const at = useApp(({ sessions, sessionId }) => sessions.find((one) => one.sessionId === sessionId)?.at);
  const isWritable = useHead((head) => head.settings?.writable);
  if (hasNoMachine) return null;
  return (
    <span className="crumb">
      <span className="crumb-part" title={inPlainSight(cwd)}>
        <Icon name="folder" size="s" />
        <span className="cut">
          {folderName(cwd)}
          {at === undefined ? "" : ` on ${inPlainSight(machineOf(at))}`}
        </span>
      </span>
      {branch === undefined ? null : (
        <span className="crumb-part" title={inPlainSight(branch)}>
          <Icon name="git-branch" size="s" />
          <span className="cut">{inPlainSight(branch)}</span>
        </span>
      )}
      {isWritable === undefined || !isReplay ? null : (
        <span className="crumb-part" data-writable={isWritable}>
          <Icon name={isWritable ? "pencil" : "lock"} size="s" />
          {isWritable ? "Can edit" : "Read-only"}
        </span>
      )}
    </span>
  );
}

function SessionFacts() {
  const round = useHead(formatRound) ?? "";
  const detail = useHead((head) => [roundLine(head), ...meters(head)].filter((one) => one !== "").join(" · ")) ?? "";
  const time = useHead(formatTime) ?? "";
  const cost = useHead(formatSpent) ?? "";
  const facts = [round, time, cost].filter((one) => one !== "");
  if (facts.length === 0) return null;
  return (
    <p className="bar-facts num" title={detail}>
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </p>
  );
}

/** "Round 1 of 3" while members discuss, "2 rounds" afterwards. */
function formatRound(head: Head): string {
  const view = roundView(head);
  if (view === undefined || view.of === 1) return "";
  const { state } = head.council;
  if (state === "settled") return plural(view.number, "round");
  return `Round ${view.number} of ${view.of}${state === "paused" ? ", paused" : ""}`;
}

/** Limits that are half used. */
function meters(head: Head): string[] {
  return capMeters(head)
    .filter(({ scope, limit, used, max }) => scope === "message" && (limit === "turns" || used >= max / 2))
    .map(meterLine);
}

/** Shorter answers are not worth a figure here; each has its own. */
const MINUTE_MS = 60_000;

/** How long the last answers took. */
function formatTime(head: Head): string {
  const { activeMs, openSinceTs } = head.spent.message;
  return openSinceTs !== undefined || activeMs < MINUTE_MS ? "" : formatDuration(activeMs);
}

/** Cost of the last message and its limit, or tokens where no cost is known. */
function formatSpent(head: Head): string {
  const { usd, tokens } = head.spent.message;
  const limit = head.settings?.limits.usd;
  if (usd > 0) return limit === undefined ? formatCost(usd) : `${formatCost(usd)} of ${formatCost(limit)}`;
  return tokens > 0 ? `${formatTokens(tokens)} tokens` : "";
}
