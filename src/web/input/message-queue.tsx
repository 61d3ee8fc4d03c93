/** Messages that wait until somebody can take them: they can be changed, moved, sent now and taken back. */
import { useState } from "react";
import type { QueueItem } from "../../protocol/index.ts";
import { useHead, useStore } from "../store/use-store.ts";
import { QueueEdit } from "./queue-edit.tsx";
import { addressWords, wholeText } from "./queued-text.ts";

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
  const [before, setBefore] = useState<string>();
  const { messageId } = item;
  if (before !== undefined) return <QueueEdit item={item} before={before} onDone={() => setBefore(undefined)} />;
  function move(step: number): void {
    const ids = queue.map((one) => one.messageId);
    const [taken = messageId] = ids.splice(at, 1);
    ids.splice(at + step, 0, taken);
    void store.wish({ type: "queue_reorder", messageIds: ids });
  }
  return (
    <li>
      <span className="queue-text" dir="auto">
        {addressWords(item)}
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
        <button type="button" onClick={() => void store.guarded(async () => setBefore(await wholeText(store, item)))}>
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
