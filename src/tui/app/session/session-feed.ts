/** The followed session; older pages are fetched when they become visible. */
import {
  type Client,
  type FollowedSession,
  followSession,
  isSessionGone,
  transcriptFold,
} from "../../../client/index.ts";
import { messageAt, PAGE_SIZE, pageAt, type Transcript, withPage } from "../../../transcript/index.ts";

/** Parallel page loads; more would make the host read files for rows nobody waits for. */
const LOADING_MAX = 4;
/** On a team's server it may be there for others. */
const GONE = "it was deleted, or you no longer have access to it.";

export interface SessionFeedOptions {
  readonly onChange: (transcript: Transcript) => void;
  readonly onError: (message: string) => void;
  /** Ends the feed, or rejects while it is still opening. */
  readonly signal?: AbortSignal;
}

export interface SessionFeed {
  readonly transcript: Transcript | undefined;
  loadPage(page: number): void;
  /** With as many older pages as can be read; the view does not keep them. */
  loadAll(): Promise<Transcript>;
  /** Position of the message with this seq; undefined when its page cannot be read. */
  positionOf(seq: number): Promise<number | undefined>;
}

export async function openSessionFeed(
  client: Client,
  sessionId: string,
  { onChange, onError, signal }: SessionFeedOptions,
): Promise<SessionFeed> {
  const loading = new Set<number>();
  const session: FollowedSession<Transcript> = await followSession(client, sessionId, {
    fold: transcriptFold,
    onChange,
    onLost: (error) =>
      onError(`This session can no longer be followed: ${isSessionGone(error) ? GONE : error.message}`),
    signal,
  });

  async function load(page: number): Promise<void> {
    try {
      const json = await client.page(sessionId, page);
      session.update((transcript) => withPage(transcript, page, json));
    } catch (error) {
      onError(`Older messages could not be read: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      loading.delete(page);
    }
  }

  async function loadAll(): Promise<Transcript> {
    let whole = session.state;
    for (const [page, known] of session.state.frozen.entries()) {
      if (known === undefined) whole = withPage(whole, page, await client.page(sessionId, page));
    }
    return whole;
  }

  return {
    loadAll,
    positionOf: (seq) =>
      findPosition(session.state, seq, async (transcript, page) =>
        withPage(transcript, page, await client.page(sessionId, page)),
      ),
    get transcript() {
      return session.state;
    },
    loadPage(page) {
      if (loading.has(page) || loading.size >= LOADING_MAX) return;
      loading.add(page);
      void load(page);
    },
  };
}

/**
 * Position of the message that started at this seq, or of the newest before it; undefined when there is none or a page
 * is unavailable. Binary search, so that few pages are fetched.
 */
export async function findPosition(
  start: Transcript,
  seq: number,
  loadPage: (transcript: Transcript, page: number) => Promise<Transcript>,
): Promise<number | undefined> {
  let transcript = start;
  let low = 0;
  let high = transcript.head.messageCount - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const page = Math.floor(middle / PAGE_SIZE);
    if (pageAt(transcript, page) === undefined) transcript = await loadPage(transcript, page);
    const message = messageAt(transcript, middle);
    if (message === undefined) return undefined;
    if (message.seq <= seq) low = middle;
    else high = middle - 1;
  }
  return high < 0 ? undefined : low;
}
