/** Messages that were sent and are not in the session yet, such as those written while offline. */
import { useApp } from "../store/use-store.ts";

export function PendingSends() {
  const pending = useApp((state) => state.pending);
  if (pending.length === 0) return null;
  return (
    <section className="pending" aria-label="Waiting to be sent" tabIndex={0}>
      <h2 className="fact">Waiting to be sent</h2>
      <ul>
        {pending.map(({ id, text }) => (
          <li key={id} dir="auto">
            {text}
          </li>
        ))}
      </ul>
    </section>
  );
}
