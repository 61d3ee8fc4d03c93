/**
 * Search in a host: events of its own sessions go to the index in the background, without delaying acknowledgements;
 * everything else is read from the logs by the index thread.
 */
import type { EventLog } from "../../log/index.ts";
import type { SearchAnswer, SearchQuery, SessionEvent } from "../../protocol/index.ts";
import type { Entry, SessionRange } from "./indexing/entry.ts";
import { parseQuery } from "./query/parse-query.ts";
import { EntryReader } from "./indexing/read-entries.ts";
import { SearchThread } from "./search-thread.ts";

/** Debounce of a full batch. */
const GATHER_MS = 250;
/**
 * A batch is sent at this size or age; a search flushes it at once. Indexing every answer separately would raise the
 * server's CPU time by a quarter.
 */
const BATCH_ENTRIES = 200;
const BATCH_CHARS = 1024 * 1024;
const BATCH_MS = 600_000;
/** Delay of the first scan for unindexed sessions; earlier it would slow down the first answers. */
const FIRST_SCAN_MS = 120_000;
/** Per session and batch; a session with more is read from its log instead. */
const WAITING_CHARS_MAX = 4 * 1024 * 1024;

export interface HostSearch {
  /** Indexes this log until the returned function is called. */
  follow(log: EventLog): () => void;
  search(query: SearchQuery): Promise<SearchAnswer>;
  close(): Promise<void>;
}

export interface HostSearchOptions {
  readonly dataDir: string;
  /** Maximum age of a batch; tests use 0. */
  readonly batchMs?: number | undefined;
}

export function createHostSearch({ dataDir, batchMs = BATCH_MS }: HostSearchOptions): HostSearch {
  const thread = new SearchThread(dataDir);
  const feeders = new Set<LogFeeder>();
  const behind = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let timerAtMs = Infinity;
  const scanTimer = setTimeout(() => thread.start(), FIRST_SCAN_MS);
  scanTimer.unref();

  function scheduleFlush(): void {
    const waiting = [...feeders].reduce((sum, feeder) => sum + feeder.weight, 0);
    const waitMs = waiting >= 1 ? GATHER_MS : Math.max(GATHER_MS, batchMs);
    const atMs = performance.now() + waitMs;
    if (atMs >= timerAtMs) return;
    clearTimeout(timer);
    timerAtMs = atMs;
    timer = setTimeout(flush, waitMs);
    timer.unref();
  }

  function flush(): void {
    clearTimeout(timer);
    timerAtMs = Infinity;
    const ranges = [...feeders].flatMap((feeder) => feeder.drain());
    if (ranges.length === 0 && behind.size === 0) return;
    const isAccepted = thread.submit(ranges, [...behind]);
    behind.clear();
    if (isAccepted) return;
    for (const { sessionId } of ranges) behind.add(sessionId);
    scheduleFlush();
  }

  return {
    follow(log) {
      const feeder = new LogFeeder(log, {
        onEntries: scheduleFlush,
        onTooMuch: () => behind.add(log.sessionId),
      });
      feeders.add(feeder);
      return () => {
        feeder.close();
        // A running thread gets the end of the session at once; it is not started for that.
        if (thread.isRunning) flush();
        feeders.delete(feeder);
      };
    },
    async search(query) {
      // An invalid query must not start the thread.
      parseQuery(query.words);
      flush();
      return thread.search(query);
    },
    async close() {
      clearTimeout(scanTimer);
      if (thread.isRunning) flush();
      clearTimeout(timer);
      for (const feeder of feeders) feeder.close();
      await thread.close();
    },
  };
}

interface FeederListener {
  readonly onEntries: () => void;
  /** The buffer was dropped; the session must be read from its log. */
  readonly onTooMuch: () => void;
}

/** Entries of one log since the last batch. */
class LogFeeder {
  readonly #log: EventLog;
  readonly #reader = new EntryReader();
  readonly #stop: () => void;
  readonly #listener: FeederListener;
  #after: number;
  #last: { seq: number; epoch: number };
  #entries: Entry[] = [];
  #chars = 0;

  constructor(log: EventLog, listener: FeederListener) {
    this.#log = log;
    this.#listener = listener;
    this.#after = log.committedSeq;
    this.#last = { seq: log.committedSeq, epoch: log.epoch };
    this.#stop = log.follow(log.committedSeq, (events) => this.#onEvents(events));
  }

  /** Buffered entries as a fraction of a full batch. */
  get weight(): number {
    return Math.max(this.#entries.length / BATCH_ENTRIES, this.#chars / BATCH_CHARS);
  }

  drain(): SessionRange[] {
    if (this.#entries.length === 0) return [];
    const { seq, epoch } = this.#last;
    const range = { sessionId: this.#log.sessionId, after: this.#after, upTo: seq, epoch };
    const drained = { ...range, entries: this.#entries, state: this.#reader.state, ...this.#reader.drainFacts() };
    this.#forget();
    return [drained];
  }

  close(): void {
    this.#stop();
  }

  #onEvents(events: readonly SessionEvent[]): void {
    for (const event of events) {
      const entries = this.#reader.read(event);
      // Almost always: deltas have no entries.
      if (entries.length === 0) continue;
      this.#entries.push(...entries);
      this.#chars += entries.reduce((sum, { text }) => sum + text.length, 0);
    }
    const last = events.at(-1);
    if (last !== undefined) this.#last = { seq: last.seq, epoch: last.epoch };
    if (this.#entries.length === 0) return;
    if (this.#chars > WAITING_CHARS_MAX) {
      this.#forget();
      this.#listener.onTooMuch();
    }
    this.#listener.onEntries();
  }

  #forget(): void {
    this.#after = this.#last.seq;
    this.#entries = [];
    this.#chars = 0;
  }
}
