/** How many requests wait in which session, as a word that can be compared: by the list, and by the inbox itself. */
import type { SessionSummary } from "../../protocol/index.ts";
import type { WaitingRequest } from "./app-state.ts";

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
