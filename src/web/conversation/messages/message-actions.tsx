/** Actions on a message, at its end; rare ones are behind "…". */
import type { ReactNode } from "react";
import { failureDetail, type TurnMessage } from "../../../transcript/index.ts";
import { inPlainSight } from "../../format/plain-sight.ts";
import { formatClock, formatDateTime } from "../../format/units.ts";
import { focusDraft } from "../../input/focus.ts";
import { putIntoDraft } from "../../input/use-draft.ts";
import { forkFrom } from "../../sessions/session-life.ts";
import { copyLink, copyText } from "../../store/copy-text.ts";
import { useHead, useStore } from "../../store/use-store.ts";
import { IconButton } from "../../ui/button.tsx";
import { Menu, type MenuItem } from "../../ui/menu.tsx";

export interface MessageActionsProps {
  readonly seq: number;
  readonly text: () => string;
  /** The messageId or turnId to pin; absent when it cannot be pinned. */
  readonly pinId?: string;
  /** Fork point; defaults to `seq`. */
  readonly endSeq?: number;
  readonly canQuote?: boolean;
  /** Further rare actions. */
  readonly more?: readonly MenuItem[];
  readonly children?: ReactNode;
}

export function MessageActions({
  seq,
  text,
  pinId,
  endSeq = seq,
  canQuote = false,
  more = [],
  children,
}: MessageActionsProps) {
  const store = useStore();
  const pin = usePin(pinId);
  const items: MenuItem[] = [
    {
      label: "Copy link",
      icon: "link",
      onChoose: () => void copyLink(store, store.linkTo(seq)),
    },
    ...pin,
    ...more,
  ];
  return (
    <span className="actions" role="group" aria-label="Message">
      <IconButton icon="copy" iconSize="s" label="Copy" onClick={() => void copyText(store, text())} />
      {canQuote ? (
        <IconButton icon="quote" iconSize="s" label="Quote in your message" onClick={() => quote(text())} />
      ) : null}
      <IconButton
        icon="git-fork"
        iconSize="s"
        label="Fork the session from here"
        onClick={() => void store.guarded(() => forkFrom(store, { seq: endSeq }))}
      />
      {children}
      <Menu label="More actions" items={items} iconSize="s" />
    </span>
  );

  function quote(answer: string): void {
    const lines = answer.trim().split("\n");
    putIntoDraft(store.getState().sessionId ?? "", `${lines.map((line) => `> ${line}`).join("\n")}\n`);
    focusDraft();
  }
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
      icon: "pin",
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
