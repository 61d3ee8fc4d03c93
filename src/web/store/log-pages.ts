/**
 * Position of the message with a seq, and eviction of pages. Older pages are searched by bisection, so that few are
 * fetched.
 */
import type { FollowedSession } from "../../client/index.ts";
import type { Json } from "../../protocol/index.ts";
import { messageAt, PAGE_SIZE, shownPosition, withPage, type Transcript } from "../../transcript/index.ts";

/** Cached frozen pages; evicted ones are fetched again when needed. */
export const CACHED_PAGES_MAX = 24;

export async function findSeq(
  seq: number,
  current: () => Transcript | undefined,
  loadPage: (page: number) => Promise<void>,
): Promise<number | undefined> {
  let low = 0;
  let high = (current()?.head.messageCount ?? 0) - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    await loadPage(Math.floor(middle / PAGE_SIZE));
    const transcript = current();
    const message = transcript === undefined ? undefined : messageAt(transcript, middle);
    // The session was left, or the page is unavailable.
    if (message === undefined) return undefined;
    if (message.seq <= seq) low = middle;
    else high = middle - 1;
  }
  if (high < 0) return undefined;
  await loadPage(Math.floor(low / PAGE_SIZE));
  const transcript = current();
  return transcript === undefined ? undefined : shownPosition(transcript, low);
}

/** Evicts pages far from the newest one, so that scrolling through a long session does not keep all of it. */
export function withoutFarPages(transcript: Transcript, near: number): Transcript {
  const held = transcript.frozen.flatMap((page, index) => (page === undefined ? [] : [index]));
  if (held.length <= CACHED_PAGES_MAX) return transcript;
  const far = new Set(
    held.toSorted((a, b) => Math.abs(b - near) - Math.abs(a - near)).slice(0, held.length - CACHED_PAGES_MAX),
  );
  return { ...transcript, frozen: transcript.frozen.map((page, index) => (far.has(index) ? undefined : page)) };
}

export interface PageLoaderOptions {
  /** The open session; undefined when it cannot be followed. */
  readonly session: () => Promise<FollowedSession<Transcript> | undefined>;
  readonly fetchPage: (page: number) => Promise<Json>;
}

export interface PageLoader {
  load(page: number): Promise<void>;
  /** Position of the message with this seq; loads the pages needed. */
  positionOf(seq: number): Promise<number | undefined>;
  /** Another session is opened. */
  clear(): void;
}

export function createPageLoader({ session, fetchPage }: PageLoaderOptions): PageLoader {
  const loading = new Map<number, Promise<void>>();
  async function load(page: number): Promise<void> {
    const open = await session();
    if (open === undefined || page >= open.state.frozen.length || open.state.frozen[page] !== undefined) return;
    const loadOne = async (): Promise<void> => {
      const loaded = await fetchPage(page);
      open.update((transcript) => withoutFarPages(withPage(transcript, page, loaded), page));
    };
    // A second caller waits too: without the page an existing message would not be found.
    const started = loading.get(page) ?? loadOne().finally(() => loading.delete(page));
    loading.set(page, started);
    await started;
  }
  return {
    load,
    async positionOf(seq) {
      const open = await session();
      return await findSeq(seq, () => open?.state, load);
    },
    clear: () => loading.clear(),
  };
}
