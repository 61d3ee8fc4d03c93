/** Messages that were sent and are not in the session yet, such as those written while disconnected. */
import type { PendingSend } from "../store/app-state.ts";
import { copyText } from "../store/copy-text.ts";
import { useApp, useStore } from "../store/use-store.ts";

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
