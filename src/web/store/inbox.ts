/** Number of open requests per session as a comparable key. */
import type { SessionSummary } from "../../protocol/index.ts";
import type { AppState, WaitingRequest } from "./app-state.ts";

export function waitingIn(sessions: readonly SessionSummary[]): string {
  return worded(new Map(sessions.map(({ sessionId, waiting = 0 }) => [sessionId, waiting])));
}

export function waitingOf(inbox: readonly WaitingRequest[]): string {
  const counts = new Map<string, number>();
  for (const { sessionId } of inbox) counts.set(sessionId, (counts.get(sessionId) ?? 0) + 1);
  return worded(counts);
}

function worded(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .filter(([, count]) => count > 0)
    .map(([sessionId, count]) => `${sessionId} ${count}`)
    .toSorted()
    .join("\n");
}

export interface InboxOptions {
  readonly ask: () => Promise<Response>;
  readonly now: () => Pick<AppState, "sessions" | "inbox">;
  readonly setInbox: (inbox: AppState["inbox"]) => void;
}

/** Open requests of all sessions; fetched again when the session list reports another number. */
export function createInboxReader({ ask, now, setInbox }: InboxOptions): () => void {
  let isAsking = false;
  async function read(): Promise<void> {
    const waits = waitingIn(now().sessions);
    if (isAsking || waits === waitingOf(now().inbox)) return;
    isAsking = true;
    try {
      const answer = await ask();
      if (answer.ok) setInbox((await answer.json()) as AppState["inbox"]);
    } catch {
      // Offline: the session list of the next connection triggers it again.
    }
    isAsking = false;
    // Changed meanwhile.
    if (waitingIn(now().sessions) !== waits) void read();
  }
  return () => void read();
}
