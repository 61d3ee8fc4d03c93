/**
 * History of a session's log for readers that are behind, cut into batches that they share: readers at the same seq get
 * the same array while it is cached. Few reads run at a time, so that late readers cost the others little. The cache is
 * dropped when unused.
 */
import type { Clock } from "../../kit/clock.ts";
import type { LogReader } from "../../log/index.ts";
import type { SessionEvent } from "../../protocol/index.ts";

/** Small, so that a client with an unstable connection makes progress each time. */
const HISTORY_BATCH_EVENTS_MAX = 32;
const CACHED_BYTES_MAX = 2 * 1024 * 1024;
const CACHED_BATCHES_MAX = 128;
const READINGS_MAX = 2;
/** Chunks of a read grow; a long one would hold a mebibyte of events for slow readers. */
const READING_CHUNKS_MAX = 2;
const LOADS_AT_ONCE_MAX = 2;
/** The cache is dropped after this idle time. */
const FORGET_MS = 250;

interface Batch {
  readonly events: readonly SessionEvent[];
  readonly lastSeq: number;
  readonly bytes: number;
}

/** An open read of the log, positioned after a seq. */
interface Reading {
  after: number;
  readonly batches: AsyncGenerator<SessionEvent[], void, void>;
  /** Read, but not in a batch yet, from `at` on. */
  read: readonly SessionEvent[];
  at: number;
  chunks: number;
}

export class HistoryBatches {
  readonly #log: Pick<LogReader, "read">;
  readonly #clock: Clock;
  /** By the seq before them, oldest first. */
  readonly #batches = new Map<number, Batch>();
  #cachedBytes = 0;
  readonly #loads = new Map<number, Promise<Batch | undefined>>();
  #readings: Reading[] = [];
  #loading = 0;
  readonly #slotWaiters: (() => void)[] = [];
  #cancelForget: (() => void) | undefined;

  constructor(log: Pick<LogReader, "read">, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /**
   * The next events after `seq`, none beyond `upTo`, which must be a greater committed seq. Undefined on a read error.
   */
  async after(seq: number, upTo: number): Promise<readonly SessionEvent[] | undefined> {
    this.#cancelForget?.();
    this.#cancelForget = undefined;
    const batch = this.#cached(seq) ?? (await this.#loadShared(seq, upTo));
    if (this.#loads.size === 0) this.#cancelForget ??= this.#clock.after(FORGET_MS, () => this.forget());
    return batch?.events;
  }

  /** Drops the cache and ends open reads. */
  forget(): void {
    this.#cancelForget?.();
    this.#cancelForget = undefined;
    this.#batches.clear();
    this.#cachedBytes = 0;
    for (const reading of this.#readings) endReading(reading);
    this.#readings = [];
  }

  #cached(seq: number): Batch | undefined {
    const exact = this.#batches.get(seq);
    if (exact !== undefined) return exact;
    for (const [after, batch] of this.#batches) {
      if (after >= seq || batch.lastSeq <= seq) continue;
      // The rest of a cached batch ends where the others continue, so that all share from there on.
      return this.#cache(seq, batch.events.slice(batch.events.findIndex((event) => event.seq > seq)));
    }
    return undefined;
  }

  #loadShared(seq: number, upTo: number): Promise<Batch | undefined> {
    const running = this.#loads.get(seq);
    if (running !== undefined) return running;
    const load = this.#withLoadSlot(() => this.#load(seq, upTo)).finally(() => this.#loads.delete(seq));
    this.#loads.set(seq, load);
    return load;
  }

  async #withLoadSlot<T>(work: () => Promise<T>): Promise<T> {
    if (this.#loading >= LOADS_AT_ONCE_MAX) await new Promise<void>((resolve) => this.#slotWaiters.push(resolve));
    else this.#loading += 1;
    try {
      return await work();
    } finally {
      const next = this.#slotWaiters.shift();
      if (next === undefined) this.#loading -= 1;
      else next();
    }
  }

  async #load(seq: number, upTo: number): Promise<Batch | undefined> {
    // It may have been loaded while this one waited for a slot.
    const cached = this.#cached(seq);
    if (cached !== undefined) return cached;
    const reusable = this.#readings.find((reading) => reading.after === seq);
    this.#readings = this.#readings.filter((reading) => reading !== reusable);
    const begun = reusable !== undefined && (await fill(reusable)) ? reusable : undefined;
    const reading = begun ?? { after: seq, batches: this.#log.read(seq), read: [], at: 0, chunks: 0 };
    if (begun === undefined && !(await fill(reading))) return undefined;
    const events = nextBatch(reading, upTo);
    this.#reuseOrEnd(reading);
    return this.#cache(seq, events);
  }

  #reuseOrEnd(reading: Reading): void {
    const isSpent = reading.at >= reading.read.length && reading.chunks >= READING_CHUNKS_MAX;
    if (isSpent) return endReading(reading);
    this.#readings.push(reading);
    if (this.#readings.length > READINGS_MAX) endReading(this.#readings.shift());
    return undefined;
  }

  #cache(seq: number, events: readonly SessionEvent[]): Batch {
    const batch = { events, lastSeq: events.at(-1)?.seq ?? seq, bytes: roughBytes(events) };
    this.#batches.set(seq, batch);
    this.#cachedBytes += batch.bytes;
    for (const [after, oldest] of this.#batches) {
      if (this.#batches.size <= CACHED_BATCHES_MAX && this.#cachedBytes <= CACHED_BYTES_MAX) break;
      this.#batches.delete(after);
      this.#cachedBytes -= oldest.bytes;
    }
    return batch;
  }
}

/** False at the end of the log and on a read error. */
async function fill(reading: Reading): Promise<boolean> {
  if (reading.at < reading.read.length) return true;
  try {
    const step = await reading.batches.next();
    if (step.done === true) return false;
    reading.read = step.value;
    reading.at = 0;
    reading.chunks += 1;
    return true;
  } catch {
    // The state of the store reports it; the reader retries.
    return false;
  }
}

function nextBatch(reading: Reading, upTo: number): readonly SessionEvent[] {
  const { read, at } = reading;
  let end = batchEnd(read, at, HISTORY_BATCH_EVENTS_MAX);
  while (end > at + 1 && (read[end - 1]?.seq ?? 0) > upTo) end -= 1;
  const events = at === 0 && end === read.length ? read : read.slice(at, end);
  const isAll = end === read.length;
  reading.read = isAll ? [] : read;
  reading.at = isAll ? 0 : end;
  reading.after = events.at(-1)?.seq ?? reading.after;
  return events;
}

function endReading(reading: Reading | undefined): void {
  // The log owns the file; a read that cannot be ended holds nothing else.
  void reading?.batches.return().catch(() => {});
}

/** Cap of one frame, so that one write cannot stall the loop. A single event may be larger. */
const BATCH_BYTES_MAX = 192 * 1024;
const BATCH_EVENTS_MAX = 512;
/** Overhead of a value: quotes, commas, keys. */
const VALUE_BYTES = 12;

/** End index of the batch that starts at `from`; contains at least one event if there is one. */
function batchEnd(events: readonly SessionEvent[], from: number, eventsMax = BATCH_EVENTS_MAX): number {
  let bytes = 0;
  let end = from;
  const limit = Math.min(events.length, from + eventsMax);
  while (end < limit) {
    bytes += roughBytes(events[end]);
    if (bytes > BATCH_BYTES_MAX && end > from) return end;
    end += 1;
  }
  return end;
}

/** Splits events into batches; returns the same array when one batch is enough. */
export function splitIntoBatches(events: readonly SessionEvent[]): (readonly SessionEvent[])[] {
  const batches: (readonly SessionEvent[])[] = [];
  for (let at = 0; at < events.length;) {
    const end = batchEnd(events, at);
    batches.push(at === 0 && end === events.length ? events : events.slice(at, end));
    at = end;
  }
  return batches;
}

/** Approximate JSON length of a value, without serialising it. */
function roughBytes(value: unknown): number {
  if (typeof value === "string") return value.length + VALUE_BYTES;
  if (typeof value !== "object" || value === null) return VALUE_BYTES;
  let bytes = VALUE_BYTES;
  if (Array.isArray(value)) for (const one of value) bytes += roughBytes(one);
  else {
    const record = value as Record<string, unknown>;
    for (const key in record) bytes += key.length + roughBytes(record[key]);
  }
  return bytes;
}
