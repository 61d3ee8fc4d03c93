/** A session of the list: state, title, time, one line of reason, and its menu. One stop for Tab, arrow keys inside. */
import { type KeyboardEvent, memo, useState } from "react";
import type { SessionSummary } from "../../protocol/index.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { plural } from "../format/units.ts";
import { useStore } from "../store/use-store.ts";
import { Icon } from "../ui/icon.tsx";
import { LiveBars, Sign } from "../ui/sign.tsx";
import { formatRowTime, machineOf, type SessionState } from "./group-sessions.ts";
import { deleteFrom } from "./session-life.ts";
import { nameOf, SessionMenu } from "./session-menu.tsx";

const SIGNS_MAX = 5;

export interface SessionRowProps {
  readonly summary: SessionSummary;
  readonly state: SessionState;
  readonly isCurrent: boolean;
  readonly isUnread: boolean;
  /** What its first open request asks. */
  readonly request: { readonly member: string; readonly label: string } | undefined;
  readonly nowTs: number;
  readonly onOpen: () => void;
  /** Its menu, or a dialog of it, was opened or closed. */
  readonly onMenu?: (isOpen: boolean) => void;
}

export const SessionRow = memo(
  SessionRowView,
  (a, b) =>
    a.summary === b.summary &&
    a.state === b.state &&
    a.isCurrent === b.isCurrent &&
    a.isUnread === b.isUnread &&
    a.request?.label === b.request?.label &&
    a.nowTs === b.nowTs,
);

function SessionRowView({ summary, state, isCurrent, isUnread, request, nowTs, onOpen, onMenu }: SessionRowProps) {
  const store = useStore();
  const [isRenaming, setRenaming] = useState(false);
  const { sessionId, archived, cwd, problem, at } = summary;
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "F2") setRenaming(true);
    else if (event.key === "e" && !event.ctrlKey && !event.metaKey && !event.altKey)
      void store.tryCommand({ type: "archive", archived: !archived }, sessionId);
    else if (event.key === "Delete") void store.guarded(() => deleteFrom(store, sessionId));
    else return;
    event.preventDefault();
  }
  return (
    <li className="session-row" data-state={state}>
      <button
        type="button"
        className="session-open"
        data-unread={isUnread}
        aria-current={isCurrent}
        title={problem ?? cwd}
        onClick={onOpen}
        onKeyDown={onKeyDown}
      >
        <span className="row-state">
          <StateMark state={state} />
        </span>
        <span className="row-title cut" dir="auto">
          {nameOf(summary)}
        </span>
        <span className="row-time num">{formatRowTime(summary, state, nowTs)}</span>
        <Reason {...{ summary, state, request, isUnread }} />
        {at === undefined ? null : (
          <span className="row-reason cut">{inPlainSight(`${at.person} · ${machineOf(at)}`)}</span>
        )}
      </button>
      <SessionMenu
        sessionId={sessionId}
        tabIndex={-1}
        isRenaming={isRenaming}
        onRenamed={() => setRenaming(false)}
        {...(onMenu === undefined ? {} : { onOpenChange: onMenu })}
      />
    </li>
  );
}

const STATE_LABELS: Readonly<Record<SessionState, string>> = {
  needs: "Needs you",
  working: "Working",
  ready: "",
  stopped: "Stopped",
  damaged: "Damaged",
  older: "",
};

function StateMark({ state }: { state: SessionState }) {
  const label = STATE_LABELS[state];
  return (
    <>
      {state === "needs" ? <span className="dot warn" /> : null}
      {state === "working" ? <LiveBars /> : null}
      {state === "ready" ? <span className="dot ok" /> : null}
      {state === "stopped" ? <Icon name="square" size="s" /> : null}
      {state === "damaged" ? <Icon name="circle-x" size="s" /> : null}
      {state === "older" ? <Icon name="message-square" size="s" /> : null}
      {label === "" ? null : <span className="unseen">{label}. </span>}
    </>
  );
}

type ReasonProps = Pick<SessionRowProps, "summary" | "state" | "request" | "isUnread">;

function Reason({ summary, state, request, isUnread }: ReasonProps) {
  const { members, turns, problem } = summary;
  if (state === "needs") {
    const hue = members.indexOf(request?.member ?? "");
    return (
      <span className="row-reason">
        {hue < 0 ? null : <Sign hue={hue} size="s" />}
        <span className="cut" dir="auto">
          {request === undefined ? "Waiting for you" : inPlainSight(request.label)}
        </span>
      </span>
    );
  }
  if (state === "working") {
    const { answering = [] } = summary;
    return (
      <span className="row-reason">
        <span className="signs">
          {answering.slice(0, SIGNS_MAX).map((name) => (
            <Sign key={name} hue={members.indexOf(name)} size="s" />
          ))}
        </span>
        <span className="cut">{answering.length === 0 ? "Starting" : `${answering.length} answering`}</span>
      </span>
    );
  }
  const text =
    state === "damaged"
      ? (problem ?? "")
      : state === "stopped"
        ? "Stopped"
        : state === "ready"
          ? `${plural(turns, "answer")}${isUnread ? ", new" : ""}`
          : "";
  if (text === "") return null;
  return (
    <span className="row-reason">
      <span className="cut">{text}</span>
    </span>
  );
}
