/** Queued messages: edit, move, send now, or return to the draft. */
import { useRef, useState } from "react";
import type { QueueItem } from "../../protocol/index.ts";
import { heldMembers, isHeld } from "../../transcript/index.ts";
import { useRescue } from "../input/use-rescue.ts";
import type { PendingSend } from "../store/app-state.ts";
import { copyText } from "../store/copy-text.ts";
import { useApp, useHead, useStore } from "../store/use-store.ts";
import { mentionPrefix, pullBackItem, wholeText } from "./queued-text.ts";

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
          On hold for {held} since the turn was stopped{" "}
          <button type="button" className="btn sm quiet" onClick={() => void store.tryCommand({ type: "continue" })}>
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

/** After a stop nothing is sent automatically. */
const HELD = "On hold since the turn was stopped. Send a message now, or put it back in the box.";

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

/** Editor of a queued message. Its text is always in the queue, in the form, or in the draft. */
interface QueueEditProps {
  readonly item: QueueItem;
  /** The full original text. */
  readonly before: string;
  readonly onDone: () => void;
}

function QueueEdit({ item, before, onDone }: QueueEditProps) {
  const store = useStore();
  const [draft, setDraft] = useState(before);
  const [isAsking, setAsking] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const rescue = useRescue(form, "The message left the queue before you saved your change. Your text is in the box.");
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
          // Text typed after submitting would be lost with the form.
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
        <button type="submit">Save</button>
      </form>
    </li>
  );
}

/** Recipients are not part of the text; mentions in it replace them. */
function addressed(item: QueueItem, draft: string): string {
  return /^\s*@[A-Za-z]/.test(draft) ? draft : mentionPrefix(item) + draft;
}

/** Messages sent but not in the session yet, such as those written while disconnected. */
export function PendingSends() {
  const pending = useApp((state) => state.pending);
  if (pending.length === 0) return null;
  return (
    <section className="pending" aria-label="Waiting to be sent" tabIndex={0}>
      <h2 className="fact">Waiting to be sent</h2>
      <ul>
        {pending.map((message) => (
          <PendingRow key={message.id} message={message} />
        ))}
      </ul>
    </section>
  );
}

function PendingRow({ message: { text, cancel } }: { message: PendingSend }) {
  const store = useStore();
  return (
    <li>
      <span className="queue-text" dir="auto">
        {text}
      </span>
      <span className="queue-actions">
        <button type="button" aria-label={`Copy: ${text}`} onClick={() => void copyText(store, text)}>
          Copy
        </button>
        <button type="button" aria-label={`Take back: ${text}`} onClick={cancel}>
          Take back
        </button>
      </span>
    </li>
  );
}
