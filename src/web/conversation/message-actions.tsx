/** What can be done with a message: copy it, the link to it, or the session up to it. In reach of keys always, in view when it is looked at. */
import type { ReactNode } from "react";
import { forkFrom } from "../sessions/session-life.ts";
import { copyText } from "../store/copy-text.ts";
import { useHead, useStore } from "../store/use-store.ts";

export interface MessageActionsProps {
  readonly seq: number;
  readonly text: () => string;
  /** The messageId or turnId by which it is pinned; what has none cannot be. */
  readonly pinId?: string;
  /** Where a copy of the session ends that is made from here; `seq` when absent. */
  readonly endSeq?: number;
  readonly children?: ReactNode;
}

/** Who lets the page in is known to its tab alone. */
const LINK_COPIED = "Link copied. It opens only in a tab that `roundtable web` has signed in.";

export function MessageActions({ seq, text, pinId, endSeq = seq, children }: MessageActionsProps) {
  const store = useStore();
  return (
    <span className="actions" role="group" aria-label="Message">
      <button type="button" onClick={() => void copyText(store, text())}>
        Copy
      </button>
      <button type="button" onClick={() => void copyText(store, store.linkTo(seq), LINK_COPIED)}>
        Link
      </button>
      {pinId === undefined ? null : <PinButton id={pinId} />}
      <button
        type="button"
        title="Copy the session up to here, and go on in the copy"
        onClick={() => void store.guarded(() => forkFrom(store, { seq: endSeq }))}
      >
        Fork
      </button>
      {children}
    </span>
  );
}

/** What is pinned stays in the members' contexts when the rest is folded away. */
function PinButton({ id }: { id: string }) {
  const store = useStore();
  const isPinned = useHead(({ pinned }) => pinned.includes(id)) ?? false;
  return (
    <button
      type="button"
      aria-pressed={isPinned}
      title="Pinned messages stay in the members' contexts"
      onClick={() => void store.wish({ type: "pin", messageId: id, pinned: !isPinned })}
    >
      {isPinned ? "Pinned" : "Pin"}
    </button>
  );
}
