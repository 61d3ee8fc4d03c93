/**
 * The only writer of a log: numbers events at once, writes them in batches, and announces each batch when it is as
 * durable as its class requires. While the disk fails, events wait; when it recovers, the log records the failure.
 *
 * Guarantees: announced in seq order, each once; a batch with a sync event after fdatasync, any other after its write,
 * which is synced at most 50 ms later.
 */
import type { Clock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import { RoundtableError, type EventDraft } from "../../protocol/index.ts";
import {
  BACKLOG_BYTES_MAX,
  BACKLOG_RESERVE_BYTES,
  prepare,
  type Backlog,
  type Batch,
  type Waiting,
} from "./backlog.ts";
import type { Appended } from "../event-log.ts";
import type { Health } from "./health.ts";
import type { LogFile } from "./log-file.ts";

/** Unsynced bytes are kept in memory; beyond this, writing waits for the disk. */
export const UNSYNCED_BYTES_MAX = 8 * 1024 * 1024;
const RETRY_MS = 1000;
/** How long announced events may be unsynced; leaves time for the sync itself within the 50 ms. */
const SYNC_MS = 48;

export interface WriterOptions {
  readonly sessionId: string;
  readonly epoch: number;
  /** The last seq in the file. */
  readonly seq: number;
  readonly file: LogFile;
  readonly backlog: Backlog;
  readonly health: Health;
  readonly clock: Clock;
  /** Called when a batch is in the file, with the offset of its first byte. */
  readonly onWritten: (batch: Batch, offset: number) => void;
  /** Called in seq order when a batch is committed, with the offset after its last byte. */
  readonly onCommitted: (batch: Batch, end: number) => void;
}

interface Waiter {
  readonly seq: number;
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #file: LogFile;
  #lastSeq: number;
  #committedSeq: number;
  #syncedSeq: number;
  /** Encoded, but not accepted by the disk yet. */
  #unwritten: Batch | undefined;
  /** In the file, waiting for its sync to be announced. */
  #unannounced: { batch: Batch; end: number }[] = [];
  #waiters: Waiter[] = [];
  #flushes: Waiter[] = [];
  /** Waiters for the write alone. */
  #writes: Waiter[] = [];
  /** While failing: the episode ends when this seq is committed. */
  #drainTo: number | undefined;
  #isScheduled = false;
  #isPumping = false;
  #cancelRetry: (() => void) | undefined;
  #cancelSync: (() => void) | undefined;
  /** Announced but unsynced bytes have waited long enough. */
  #isSyncDue = false;
  #lastSyncMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#file = options.file;
    this.#lastSeq = options.seq;
    this.#committedSeq = options.seq;
    this.#syncedSeq = options.seq;
  }

  append(drafts: readonly EventDraft[]): Appended {
    if (this.#isClosed) throw closedError();
    const { epoch, sessionId, clock } = this.#options;
    const ts = clock.now();
    const accepted: Waiting[] = [];
    let bytes = 0;
    let refused = 0;
    for (const draft of drafts) {
      const seq = this.#lastSeq + accepted.length + 1;
      const waiting = prepare(draft, { seq, epoch, id: newId(), ts, sessionId });
      if (this.#hasRoom(waiting, bytes)) {
        accepted.push(waiting);
        bytes += waiting.jsonBytes;
      } else refused++;
    }
    return this.#accept(accepted, refused);
  }

  /** Beyond the limit of a failing store stream events are refused; a sync event beyond its reserve throws. */
  #hasRoom({ jsonBytes, isSync }: Waiting, before: number): boolean {
    const { health, backlog } = this.#options;
    if (health.state === "ok") return true;
    const bytes = backlog.bytes + before + jsonBytes;
    if (bytes <= BACKLOG_BYTES_MAX) return true;
    if (!isSync) return false;
    if (bytes <= BACKLOG_BYTES_MAX + BACKLOG_RESERVE_BYTES) return true;
    throw new RoundtableError("store_unavailable", `The log accepts no more events. ${health.message}`, {
      hint: "Free some space on the disk of the data directory; the session then continues by itself.",
    });
  }

  #accept(accepted: readonly Waiting[], refused: number): Appended {
    const { backlog, health } = this.#options;
    health.dropped += refused;
    for (const waiting of accepted) backlog.push(waiting);
    this.#lastSeq += accepted.length;
    const events = accepted.map((waiting) => waiting.event);
    if (events.length === 0) return { events, committed: Promise.resolve() };
    this.#schedule();
    return { events, committed: this.#promise(this.#waiters, this.#lastSeq) };
  }

  #promise(list: Waiter[], seq: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    list.push({ seq, promise, resolve, reject });
    return promise;
  }

  async flush(): Promise<void> {
    const { health } = this.#options;
    if (health.isFailing) throw new RoundtableError("store_unavailable", health.message);
    if (this.#syncedSeq >= this.#lastSeq) return;
    const flushed = this.#promise(this.#flushes, this.#lastSeq);
    this.#schedule();
    await flushed;
  }

  async written(): Promise<void> {
    if (this.#options.backlog.bytes === 0) return;
    if (this.#isClosed) throw closedError();
    await this.#promise(this.#writes, this.#lastSeq);
  }

  /** Stops writing and rejects all waiters. */
  close(): void {
    this.#isClosed = true;
    this.#cancelRetry?.();
    this.#cancelSync?.();
    rejectAll([...this.#waiters, ...this.#flushes, ...this.#writes], closedError());
    this.#waiters = [];
    this.#flushes = [];
    this.#writes = [];
    this.#file.close();
  }

  /**
   * Everything appended in one tick and its microtasks goes into one write. Not a round of the event loop later: every
   * first text would wait for it.
   */
  #schedule(): void {
    if (this.#isScheduled || this.#isPumping || this.#cancelRetry !== undefined) return;
    this.#isScheduled = true;
    queueMicrotask(() =>
      process.nextTick(() => {
        this.#isScheduled = false;
        void this.#pump();
      }),
    );
  }

  async #pump(): Promise<void> {
    if (this.#isPumping || this.#cancelRetry !== undefined) return;
    this.#isPumping = true;
    try {
      while (!this.#isClosed && (await this.#step()));
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isPumping = false;
    }
    // An append during the end of the last step found the pump running and did not wake it.
    if (this.#hasWork()) this.#schedule();
  }

  #hasWork(): boolean {
    if (this.#isClosed) return false;
    const { backlog, health } = this.#options;
    if (backlog.bytes > 0 || this.#file.isDead || health.isFailing) return true;
    return (this.#flushes.length > 0 || this.#isSyncDue) && this.#file.unsyncedBytes > 0;
  }

  /** Handles one batch. False when there is nothing to do, or nothing can be done before the next retry. */
  async #step(): Promise<boolean> {
    if (this.#file.isDead) await this.#replaceFile();
    if (this.#file.unsyncedBytes > UNSYNCED_BYTES_MAX) return this.#sync();
    this.#unwritten ??= this.#options.backlog.nextBatch();
    const batch = this.#unwritten;
    if (batch === undefined) return this.#settle();
    const offset = this.#file.length;
    this.#file.write(batch.bytes);
    this.#unwritten = undefined;
    this.#options.backlog.written(batch);
    this.#options.onWritten(batch, offset);
    this.#unannounced.push({ batch, end: this.#file.length });
    this.#writes = resolveUpTo(this.#writes, batch.lastSeq);
    const { isFailing } = this.#options.health;
    if (isFailing) this.#drainTo ??= this.#lastSeq;
    if (batch.isSync || isFailing) return this.#sync();
    this.#announceReady();
    if (this.#isSyncDue) this.#syncBeside();
    else this.#syncSoon();
    return true;
  }

  /** With nothing left to write: syncs for waiters, and ends an episode without events of its own. */
  async #settle(): Promise<boolean> {
    if (this.#flushes.length > 0 && this.#file.unsyncedBytes > 0) return this.#sync();
    if (this.#isSyncDue) this.#syncBeside();
    if (!this.#options.health.isFailing) return false;
    this.#endEpisode();
    return true;
  }

  /** True also after a failure: the file is dead then, and the next step reopens it. */
  async #sync(): Promise<boolean> {
    this.#isSyncDue = false;
    this.#lastSyncMs = this.#options.clock.monotonic();
    const upTo = this.#lastWrittenSeq();
    try {
      await this.#file.sync();
    } catch (error) {
      if (!this.#file.isDead) throw error;
      this.#reportFailure(error);
      return true;
    }
    this.#synced(upTo);
    return true;
  }

  async #replaceFile(): Promise<void> {
    const upTo = this.#lastWrittenSeq();
    await this.#file.replace();
    this.#synced(upTo);
  }

  #synced(upTo: number): void {
    this.#syncedSeq = Math.max(this.#syncedSeq, upTo);
    this.#announceReady();
    this.#flushes = resolveUpTo(this.#flushes, this.#syncedSeq);
    const { isFailing, dropped } = this.#options.health;
    const isDrained = this.#drainTo !== undefined && this.#committedSeq >= this.#drainTo;
    // A slow disk is recorded only when events were refused because of it.
    if (isFailing ? isDrained : dropped > 0) this.#endEpisode();
  }

  #lastWrittenSeq(): number {
    return this.#unannounced.at(-1)?.batch.lastSeq ?? this.#committedSeq;
  }

  /** At once, unless a sync has just begun: events of a flood are synced together. */
  #syncSoon(): void {
    if (this.#cancelSync !== undefined) return;
    const { clock } = this.#options;
    const waitMs = this.#lastSyncMs + SYNC_MS - clock.monotonic();
    if (waitMs <= 0) return this.#syncBeside();
    this.#cancelSync = clock.after(waitMs, () => {
      this.#cancelSync = undefined;
      this.#isSyncDue = true;
      this.#schedule();
    });
  }

  /** One tick later, after announced events have been sent to their readers, and without delaying further writes. */
  #syncBeside(): void {
    this.#isSyncDue = false;
    process.nextTick(() => {
      if (this.#isClosed || this.#file.isDead || this.#file.unsyncedBytes === 0) return;
      void this.#sync().then(() => this.#schedule());
    });
  }

  /** Announces synced batches, and stream batches that follow no unsynced one. */
  #announceReady(): void {
    while (this.#unannounced.length > 0) {
      const first = this.#unannounced[0];
      if (first === undefined || (first.batch.isSync && first.end > this.#file.syncedLength)) return;
      this.#unannounced.shift();
      this.#announce(first.batch, first.end);
    }
  }

  #announce(batch: Batch, end: number): void {
    if (batch.lastSeq <= this.#committedSeq) return;
    this.#committedSeq = batch.lastSeq;
    this.#options.onCommitted(batch, end);
    this.#waiters = resolveUpTo(this.#waiters, batch.lastSeq);
  }

  #reportFailure(error: unknown): void {
    const { health, clock } = this.#options;
    this.#drainTo = undefined;
    health.fail(error, clock.now());
    const failure = new RoundtableError("store_unavailable", health.message, { cause: error });
    rejectAll(this.#flushes, failure);
    this.#flushes = [];
  }

  #fail(error: unknown): void {
    this.#reportFailure(error);
    if (this.#isClosed) return;
    this.#cancelRetry = this.#options.clock.after(RETRY_MS, () => {
      this.#cancelRetry = undefined;
      void this.#pump();
    });
  }

  #endEpisode(): void {
    const { health, clock } = this.#options;
    this.#drainTo = undefined;
    const { fromTs, reason, dropped } = health.recover();
    this.append([{ type: "read_only", fromTs, toTs: clock.now(), reason, dropped }]);
  }
}

function resolveUpTo(waiters: Waiter[], seq: number): Waiter[] {
  let count = 0;
  for (const waiter of waiters) {
    if (waiter.seq > seq) break;
    waiter.resolve();
    count++;
  }
  return count === 0 ? waiters : waiters.slice(count);
}

function rejectAll(waiters: readonly Waiter[], error: Error): void {
  for (const { promise, reject } of waiters) {
    // The promise may be ignored by the caller.
    promise.catch(() => undefined);
    reject(error);
  }
}

function closedError(): RoundtableError {
  return new RoundtableError("closed", "The log was closed before these events were on disk.");
}
