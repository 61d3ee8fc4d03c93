/** News of all sessions: their open requests, and what was read. */
import type { SessionSummary } from "../../protocol/index.ts";
import type { AppState, WaitingRequest } from "./app-state.ts";
import { storeSeen } from "./local-storage.ts";

/** Number of open requests per session as a comparable key. */
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

/** Interval of marking visible messages as read; each is written to local storage. */
const SEEN_MS = 500;

export interface SeenOptions {
  readonly now: () => Pick<AppState, "transcript" | "sessionId" | "seen">;
  readonly setSeen: (seen: AppState["seen"]) => void;
}

/** Marks what is shown of the open session as read, after a moment or when it is left. */
export function createSeenMarker({ now, setSeen }: SeenOptions): { mark(): void; flush(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  function store(): void {
    clearTimeout(timer);
    timer = undefined;
    const { transcript, sessionId, seen } = now();
    if (transcript === undefined || sessionId === undefined || document.hidden) return;
    const { seq } = transcript.head;
    if ((seen.get(sessionId) ?? 0) >= seq) return;
    storeSeen(sessionId, seq);
    setSeen(new Map(seen).set(sessionId, seq));
  }
  return {
    mark() {
      timer ??= setTimeout(store, SEEN_MS);
    },
    flush() {
      if (timer !== undefined) store();
    },
  };
}
