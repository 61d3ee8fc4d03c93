/** Messages that wait until somebody can take them: they can be changed, moved, sent now and taken back. */
import { useState } from "react";
import type { QueueItem } from "../../protocol/index.ts";
import { useHead, useStore } from "../store/use-store.ts";

export function MessageQueue() {
  const queue = useHead((head) => head.queue) ?? [];
  if (queue.length === 0) return null;
  return (
    <section className="queue" aria-label="Queue">
      <h2 className="fact">Queued for when the turn has ended</h2>
      <ol>
        {queue.map((item, at) => (
          <QueueRow key={item.messageId} item={item} at={at} queue={queue} />
        ))}
      </ol>
    </section>
  );
}

interface QueueRowProps {
  readonly item: QueueItem;
  readonly at: number;
  readonly queue: readonly QueueItem[];
}

function QueueRow({ item, at, queue }: QueueRowProps) {
  const store = useStore();
  const [draft, setDraft] = useState<string>();
  const { messageId } = item;
  if (draft !== undefined) return <QueueEdit item={item} draft={draft} onChange={setDraft} />;
  function move(step: number): void {
    const ids = queue.map((one) => one.messageId);
    const [taken = messageId] = ids.splice(at, 1);
    ids.splice(at + step, 0, taken);
    void store.wish({ type: "queue_reorder", messageIds: ids });
  }
  return (
    <li>
      <span className="queue-text" dir="auto">
        {item.to.length === 0 || item.to.includes("all") ? "" : `${item.to.map((name) => `@${name}`).join(" ")} `}
        {item.text}
        {item.attachments.length === 0 ? null : ` (${item.attachments.map(({ name }) => name).join(", ")})`}
      </span>
      <span className="queue-actions">
        <button type="button" disabled={at === 0} aria-label={`Move up: ${item.text}`} onClick={() => move(-1)}>
          ↑
        </button>
        <button
          type="button"
          disabled={at === queue.length - 1}
          aria-label={`Move down: ${item.text}`}
          onClick={() => move(1)}
        >
          ↓
        </button>
        <button type="button" onClick={() => setDraft(item.text)}>
          Edit
        </button>
        <button type="button" onClick={() => void store.wish({ type: "queue_promote", messageId })}>
          Now
        </button>
        <button
          type="button"
          aria-label={`Remove: ${item.text}`}
          onClick={() => void store.wish({ type: "queue_remove", messageId })}
        >
          ✕
        </button>
      </span>
    </li>
  );
}

interface QueueEditProps {
  readonly item: QueueItem;
  readonly draft: string;
  readonly onChange: (draft: string | undefined) => void;
}

function QueueEdit({ item: { messageId }, draft, onChange }: QueueEditProps) {
  const store = useStore();
  return (
    <li>
      <form
        className="text-form"
        onSubmit={(event) => {
          event.preventDefault();
          void store.wish({ type: "queue_edit", messageId, text: draft });
          onChange(undefined);
        }}
      >
        <textarea
          aria-label="Queued message"
          rows={2}
          value={draft}
          autoFocus
          onChange={({ target }) => onChange(target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            onChange(undefined);
          }}
        />
        <button type="submit">Keep</button>
      </form>
    </li>
  );
}
