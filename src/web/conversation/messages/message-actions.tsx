/** What can be done with a message. In reach of keys always, in view when it is looked at; what is rare is behind "…". */
import type { ReactNode } from "react";
import { failureDetail, type TurnMessage } from "../../../transcript/index.ts";
import { Menu, type MenuItem } from "../../app/menu.tsx";
import { inPlainSight } from "../../format/plain-sight.ts";
import { formatClock, formatDateTime } from "../../format/units.ts";
import { forkFrom } from "../../sessions/session-life.ts";
import { copyText } from "../../store/copy-text.ts";
import { useHead, useStore } from "../../store/use-store.ts";

export interface MessageActionsProps {
  readonly seq: number;
  readonly text: () => string;
  /** The messageId or turnId by which it is pinned; what has none cannot be. */
  readonly pinId?: string;
  /** Where a copy of the session ends that is made from here; `seq` when absent. */
  readonly endSeq?: number;
  /** More of what is rare. */
  readonly more?: readonly MenuItem[];
  readonly children?: ReactNode;
}

/** Who lets the page in is known to its tab alone. */
const LINK_COPIED = "Link copied. It opens only in a tab that `roundtable web` has signed in.";

export function MessageActions({ seq, text, pinId, endSeq = seq, more = [], children }: MessageActionsProps) {
  const store = useStore();
  const pin = usePin(pinId);
  const items: MenuItem[] = [
    { label: "Link", onChoose: () => void copyText(store, store.linkTo(seq), LINK_COPIED) },
    ...pin,
    {
      label: "Fork",
      title: "Copy the session up to here, and go on in the copy",
      onChoose: () => void store.guarded(() => forkFrom(store, { seq: endSeq })),
    },
    ...more,
  ];
  return (
    <span className="actions" role="group" aria-label="Message">
      <button type="button" onClick={() => void copyText(store, text())}>
        Copy
      </button>
      {children}
      <Menu label="More actions" items={items} />
    </span>
  );
}

/** What is pinned stays in the members' contexts when the rest is folded away. */
function usePin(id: string | undefined): MenuItem[] {
  const store = useStore();
  const isPinned = useHead(({ pinned }) => id !== undefined && pinned.includes(id)) ?? false;
  if (id === undefined) return [];
  const pin = { type: "pin", messageId: id, pinned: !isPinned } as const;
  return [
    {
      label: isPinned ? "Unpin" : "Pin",
      title: "Pinned messages stay in the members' contexts",
      onChoose: () => void store.tryCommand(pin),
    },
  ];
}

/** When: short to read, whole for whoever looks closer. */
export function Moment({ ts }: { ts: number }) {
  return (
    <time className="fact" dateTime={new Date(ts).toISOString()} title={formatDateTime(ts)}>
      {formatClock(ts)}
    </time>
  );
}

/** What the program of a failed turn printed last. */
export function FailureDetail({ turn }: { turn: TurnMessage }) {
  const lines = failureDetail(turn);
  return lines.length === 0 ? null : <code className="printed">{inPlainSight(lines.join("\n"))}</code>;
}
