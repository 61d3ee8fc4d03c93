/**
 * Live end of a session's log for any number of readers. Readers that keep up get the same arrays, so that a transport
 * encodes each once: streamed text at most every 10 ms, everything else at once. A reader that is behind, or whose
 * listener returns a promise, keeps only its cursor and gets shared history batches until it has caught up: no gap, no
 * repeat, no queue of its own.
 */
import type { Clock } from "../../kit/clock.ts";
import type { EventLog } from "../../log/index.ts";
import { syncClassOf, type SessionEvent } from "../../protocol/index.ts";
import { splitIntoBatches } from "./history-batches.ts";
import { HistoryBatches } from "./history-batches.ts";

/** Less than a display frame. The first streamed text after a pause is sent at once. */
const FLUSH_MS = 10;
/** A burst of this many events is flushed at once. */
const WAITING_MAX = 512;
/** Retry delay after a read error. */
const READ_RETRY_MS = 1_000;

type Listener = (events: readonly SessionEvent[]) => void | Promise<void>;

interface Reader {
  readonly listener: Listener;
  cursor: number;
  isOver: boolean;
}

export class SharedFeed {
  readonly #log: EventLog;
  readonly #clock: Clock;
  readonly #history: HistoryBatches;
  readonly #readers = new Set<Reader>();
  readonly #live = new Set<Reader>();
  #waiting: SessionEvent[] = [];
  /** Everything up to here has been delivered. */
  #flushedSeq = 0;
  /** When streamed text was last delivered. */
  #streamedMs = Number.NEGATIVE_INFINITY;
  #cancelFlush: (() => void) | undefined;
  #stopTap: (() => void) | undefined;

  constructor(log: EventLog, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
    this.#history = new HistoryBatches(log, clock);
  }

  /** As `EventLog.follow`. */
  follow(after: number, listener: Listener): () => void {
    if (this.#stopTap === undefined) this.#open();
    const reader: Reader = { listener, cursor: after, isOver: false };
    this.#readers.add(reader);
    this.#attach(reader);
    return () => {
      reader.isOver = true;
      this.#live.delete(reader);
      this.#readers.delete(reader);
      if (this.#readers.size === 0) this.close();
    };
  }

  /** Flushes and stops following the log. */
  close(): void {
    this.flush();
    this.#stopTap?.();
    this.#stopTap = undefined;
    this.#history.forget();
  }

  /** Delivers waiting events now. */
  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    const events = this.#waiting;
    const last = events.at(-1);
    if (last === undefined) return;
    this.#waiting = [];
    this.#flushedSeq = last.seq;
    if (events.some(isStreamed)) this.#streamedMs = this.#clock.monotonic();
    for (const batch of splitIntoBatches(events)) this.#deliverBatch(batch);
  }

  #open(): void {
    this.#flushedSeq = this.#log.committedSeq;
    this.#stopTap = this.#log.follow(this.#flushedSeq, (events) => this.#onEvents(events));
  }

  #attach(reader: Reader): void {
    if (reader.isOver) return;
    if (reader.cursor >= this.#flushedSeq) this.#live.add(reader);
    else void this.#catchUp(reader);
  }

  async #catchUp(reader: Reader): Promise<void> {
    while (reader.cursor < this.#flushedSeq) {
      const batch = await this.#history.after(reader.cursor, this.#flushedSeq);
      if (reader.isOver || this.#stopTap === undefined) return;
      const delivered = batch === undefined ? this.#pause() : deliver(reader, batch);
      if (delivered !== undefined) await delivered;
      if (reader.isOver || this.#stopTap === undefined) return;
    }
    // No await since the last check, so nothing was delivered in between.
    this.#live.add(reader);
  }

  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => void this.#clock.after(READ_RETRY_MS, resolve));
  }

  #onEvents(events: readonly SessionEvent[]): void {
    for (const event of events) this.#waiting.push(event);
    const waitMs = this.#streamedMs + FLUSH_MS - this.#clock.monotonic();
    if (waitMs <= 0 || !events.every(isStreamed) || this.#waiting.length >= WAITING_MAX) this.flush();
    else this.#cancelFlush ??= this.#clock.after(waitMs, () => this.flush());
  }

  #deliverBatch(batch: readonly SessionEvent[]): void {
    const first = batch[0]?.seq ?? 0;
    /** For readers whose cursor was ahead of the flushed seq; readers at the same cursor share the array. */
    const tails = new Map<number, readonly SessionEvent[]>();
    for (const reader of this.#live) {
      let fresh = batch;
      if (first <= reader.cursor) {
        fresh = tails.get(reader.cursor) ?? batch.filter((event) => event.seq > reader.cursor);
        tails.set(reader.cursor, fresh);
      }
      const delivered = fresh.length === 0 ? undefined : deliver(reader, fresh);
      if (delivered === undefined) continue;
      this.#live.delete(reader);
      void delivered.then(() => this.#attach(reader));
    }
  }
}

function isStreamed({ type }: SessionEvent): boolean {
  return syncClassOf(type) === "stream";
}

function deliver(reader: Reader, events: readonly SessionEvent[]): Promise<void> | undefined {
  reader.cursor = events.at(-1)?.seq ?? reader.cursor;
  return reader.listener(events) ?? undefined;
}
