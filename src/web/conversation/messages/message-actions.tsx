/** Actions on a message. Always reachable by keyboard, visible on hover; rare ones are behind "…". */
import type { ReactNode } from "react";
import { failureDetail, type TurnMessage } from "../../../transcript/index.ts";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { inPlainSight } from "../../format/plain-sight.ts";
import { formatClock, formatDateTime } from "../../format/units.ts";
import { forkFrom } from "../../sessions/session-life.ts";
import { copyText } from "../../store/copy-text.ts";
import { useHead, useStore } from "../../store/use-store.ts";

export interface MessageActionsProps {
  readonly seq: number;
  readonly text: () => string;
  /** The messageId or turnId to pin; absent when it cannot be pinned. */
  readonly pinId?: string;
  /** Fork point; defaults to `seq`. */
  readonly endSeq?: number;
  /** Further rare actions. */
  readonly more?: readonly MenuItem[];
  readonly children?: ReactNode;
}

/** The token is known to this tab only. */
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

/** Pinned messages survive a compaction of the members' contexts. */
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

/** Short time, with the full date on hover. */
export function Moment({ ts }: { ts: number }) {
  return (
    <time className="fact" dateTime={new Date(ts).toISOString()} title={formatDateTime(ts)}>
      {formatClock(ts)}
    </time>
  );
}

/** The last output of a failed turn's program. */
export function FailureDetail({ turn }: { turn: TurnMessage }) {
  const lines = failureDetail(turn);
  return lines.length === 0 ? null : <code className="printed">{inPlainSight(lines.join("\n"))}</code>;
}
