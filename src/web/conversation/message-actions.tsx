/** What can be done with a message: copy it, or the link to it. In reach of keys always, in view when it is looked at. */
import type { ReactNode } from "react";
import { useStore } from "../store/use-store.ts";

export interface MessageActionsProps {
  readonly seq: number;
  readonly text: () => string;
  readonly children?: ReactNode;
}

export function MessageActions({ seq, text, children }: MessageActionsProps) {
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
      {children}
    </span>
  );
}
