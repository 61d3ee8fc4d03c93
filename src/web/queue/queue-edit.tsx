/** A queued message being changed. What was written is never lost: it is in the queue, in the form, or in the draft. */
import { useRef, useState } from "react";
import type { QueueItem } from "../../protocol/index.ts";
import { useStore } from "../store/use-store.ts";
import { mentionPrefix } from "./queued-text.ts";
import { useRescue } from "../input/use-rescue.ts";

export interface QueueEditProps {
  readonly item: QueueItem;
  /** The whole text as it was. */
  readonly before: string;
  readonly onDone: () => void;
}

export function QueueEdit({ item, before, onDone }: QueueEditProps) {
  const store = useStore();
  const [draft, setDraft] = useState(before);
  const [isAsking, setAsking] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const rescue = useRescue(form, "The message has left the queue unchanged; what you wrote is in the draft.");
  rescue.setText(draft === before ? "" : addressed(item, draft));

  async function save(): Promise<void> {
    if (isAsking) return;
    setAsking(true);
    rescue.setSafe(true);
    if (await store.tryCommand({ type: "queue_edit", messageId: item.messageId, text: draft })) return onDone();
    setAsking(false);
    rescue.setSafe(false);
  }

  return (
    <li>
      <form
        ref={form}
        className="text-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <textarea
          aria-label="Queued text"
          rows={2}
          value={draft}
          // What is written after it was handed over would go with the form.
          readOnly={isAsking}
          autoFocus
          onChange={({ target }) => setDraft(target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            rescue.setSafe(true);
            onDone();
          }}
        />
        <button type="submit">Keep</button>
      </form>
    </li>
  );
}

/** Who it was for is not in the text; who is named in it now is whom it is for. */
function addressed(item: QueueItem, draft: string): string {
  return /^\s*@[A-Za-z]/.test(draft) ? draft : mentionPrefix(item) + draft;
}
