/**
 * Search as a host has it: what its sessions write goes into the index while they write it, never in the way of an
 * acknowledgement; what it has not heard itself is read from the logs by the thread that keeps the index.
 */
import type { EventLog } from "../../log/index.ts";
import type { SearchAnswer, SearchQuery, SessionEvent } from "../../protocol/index.ts";
import type { Entry, SessionRange } from "./indexing/entry.ts";
import { parseQuery } from "./query/parse-query.ts";
import { EntryReader } from "./indexing/read-entries.ts";
import { SearchThread } from "./search-thread.ts";

/** What is said within this time goes to the index together. */
const GATHER_MS = 250;
/**
 * So much waits before it goes to the index, or for so long; a search takes what waits at once. With every answer by
 * itself the index would cost a member's server a quarter more.
 */
const BATCH_ENTRIES = 200;
const BATCH_CHARS = 1024 * 1024;
const BATCH_MS = 600_000;
/** A host that lives so long looks for sessions that are not in the index. Sooner, that would cost the first answers. */
const FIRST_SCAN_MS = 120_000;
/** Of one session between two gatherings; more is read from its log instead. */
const WAITING_CHARS_MAX = 4 * 1024 * 1024;

export interface HostSearch {
  /** Keeps the index up to this log until the returned function is called. */
  follow(log: EventLog): () => void;
  search(query: SearchQuery): Promise<SearchAnswer>;
  close(): Promise<void>;
}

export interface HostSearchOptions {
  readonly dataDir: string;
  /** How long little waits before it goes to the index; tests do not wait. */
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
        // A thread that runs anyway gets the end of the session at once; it is not started for that.
        if (thread.isRunning) flush();
        feeders.delete(feeder);
      };
    },
    async search(query) {
      // A search that is none must not start a thread.
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
  /** What waited was let go; the log has it. */
  readonly onTooMuch: () => void;
}

/** One log: what was committed since the last stretch. */
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

  /** What waits as a share of a lot. */
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
      // Almost always: what streams is said again when it is done.
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
