/** Messages that wait until somebody can take them: they can be changed, moved, sent now and taken back. */
import { useState } from "react";
import type { QueueItem } from "../../protocol/index.ts";
import { heldMembers, isHeld } from "../../transcript/index.ts";
import { useHead, useStore } from "../store/use-store.ts";
import { pullBackItem } from "./pull-back.ts";
import { QueueEdit } from "./queue-edit.tsx";
import { mentionPrefix, wholeText } from "./queued-text.ts";

const NONE: readonly QueueItem[] = [];

export function MessageQueue() {
  const store = useStore();
  const queue = useHead((head) => head.queue) ?? NONE;
  const isStopped = useHead((head) => head.queue.some((item) => isHeld(head, item))) ?? false;
  const held = useHead((head) => heldMembers(head).join(", ")) ?? "";
  if (queue.length === 0 && held === "") return null;
  return (
    <section className="queue" aria-label="Queue" data-held={isStopped || held !== ""}>
      {held === "" ? null : (
        <p className="fact">
          Held for {held} since the stop{" "}
          <button type="button" className="quiet" onClick={() => void store.tryCommand({ type: "continue" })}>
            Send now
          </button>
        </p>
      )}
      {queue.length === 0 ? null : <h2 className="fact">{isStopped ? HELD : "Queued: sent when this turn ends"}</h2>}
      <ol>
        {queue.map((item, at) => (
          <QueueRow key={item.messageId} item={item} at={at} queue={queue} />
        ))}
      </ol>
    </section>
  );
}

/** After a stop nothing goes out by itself. */
const HELD = "Held since the stop: send a message now, or put it back into the box";

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
    const [moved = messageId] = ids.splice(at, 1);
    ids.splice(at + step, 0, moved);
    void store.tryCommand({ type: "queue_reorder", messageIds: ids });
  }
  return (
    <li>
      <span className="queue-text" dir="auto">
        {mentionPrefix(item)}
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
        <button type="button" onClick={() => void store.tryCommand({ type: "queue_promote", messageId })}>
          Send now
        </button>
        <button type="button" aria-label={`Put back: ${item.text}`} onClick={() => void pullBackItem(item)}>
          Put back
        </button>
        <button
          type="button"
          aria-label={`Remove: ${item.text}`}
          onClick={() => void store.tryCommand({ type: "queue_remove", messageId })}
        >
          ✕
        </button>
      </span>
    </li>
  );
}
