/** Messages that are on their way, shown when the host does not take them at once, until it does or refuses. */
import { newId } from "../../kit/ids.ts";
import type { AppState, PendingSend } from "./app-state.ts";

/** What the host takes at once is never shown as waiting. */
const PENDING_QUIET_MS = 300;

type Pending = AppState["pending"];

export function showPending(
  message: Omit<PendingSend, "id">,
  sent: Promise<unknown>,
  change: (by: (pending: Pending) => Pending) => void,
): void {
  const id = newId();
  let isShown = false;
  const timer = setTimeout(() => {
    isShown = true;
    change((pending) => [...pending, { id, ...message }]);
  }, PENDING_QUIET_MS);
  const remove = (): void => {
    clearTimeout(timer);
    if (isShown) change((pending) => pending.filter((one) => one.id !== id));
  };
  sent.then(remove, remove);
}
