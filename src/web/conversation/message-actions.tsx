/** What can be done with a message: copy it, the link to it, or the session up to it. In reach of keys always, in view when it is looked at. */
import type { ReactNode } from "react";
import { forkFrom } from "../sessions/session-life.ts";
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

export function MessageActions({ seq, text, pinId, endSeq = seq, children }: MessageActionsProps) {
  const store = useStore();
  async function copy(what: string, done: string): Promise<void> {
    await store.guarded(async () => {
      await navigator.clipboard.writeText(what).catch(() => {
        throw new Error("The browser does not let this page copy.");
      });
      store.say(done);
    });
  }
  return (
    <span className="actions" role="group" aria-label="Message">
      <button type="button" onClick={() => void copy(text(), "The text was copied.")}>
        Copy
      </button>
      <button type="button" onClick={() => void copy(store.linkTo(seq), "The link to this message was copied.")}>
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
