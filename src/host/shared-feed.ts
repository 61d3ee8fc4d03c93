/**
 * The live end of a session's log, for any number of readers. Those who keep up are handed the very same arrays, at most
 * one lot every few milliseconds, so that a carrier can encode a lot once for all of them. A reader that is behind, or
 * whose listener asks for a pause, keeps nothing but its cursor and gets the past in lots that late readers share, until
 * it has caught up: no gap, no repeat, no queue of its own.
 */
import type { Clock } from "../kit/clock.ts";
import type { EventLog } from "../log/index.ts";
import type { SessionEvent } from "../protocol/index.ts";
import { splitInLots } from "./lots.ts";
import { PastLots } from "./past-lots.ts";

/** Less than a frame of a display. An event after a quiet time does not wait at all. */
const FLUSH_MS_MAX = 14;
/** What a lot costs to hand to one reader, by far: few readers hardly ever wait. */
const FLUSH_MS_PER_READER = 1;
/** So many lots go out at once before that: a message, its turn and the first words come within a few milliseconds. */
const BURST_LOTS = 4;
/** A burst does not wait for the time to pass. */
const WAITING_MAX = 512;
/** How long a reader waits when the file could not be read. */
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
  readonly #past: PastLots;
  readonly #readers = new Set<Reader>();
  readonly #live = new Set<Reader>();
  #waiting: SessionEvent[] = [];
  /** Everything up to here has been handed out. */
  #flushedSeq = 0;
  /** Each lot pays for its readers; BURST_LOTS of the dearest may be owed. */
  #paidUntilMs = 0;
  #cancelFlush: (() => void) | undefined;
  #stopTap: (() => void) | undefined;

  constructor(log: EventLog, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
    this.#past = new PastLots(log, clock);
  }

  /** As `EventLog.follow`. */
  follow(after: number, listener: Listener): () => void {
    if (this.#stopTap === undefined) this.#open();
    const reader: Reader = { listener, cursor: after, isOver: false };
    this.#readers.add(reader);
    this.#place(reader);
    return () => {
      reader.isOver = true;
      this.#live.delete(reader);
      this.#readers.delete(reader);
      if (this.#readers.size === 0) this.close();
    };
  }

  /** Hands out what waits and hears no more. */
  close(): void {
    this.flush();
    this.#stopTap?.();
    this.#stopTap = undefined;
    this.#past.forget();
  }

  /** Hands out what waits, now. */
  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    const events = this.#waiting;
    const last = events.at(-1);
    if (last === undefined) return;
    this.#waiting = [];
    this.#flushedSeq = last.seq;
    const priceMs = Math.min(FLUSH_MS_MAX, this.#readers.size * FLUSH_MS_PER_READER);
    this.#paidUntilMs = Math.max(this.#paidUntilMs, this.#clock.monotonic()) + priceMs;
    for (const lot of splitInLots(events)) this.#handLot(lot);
  }

  #open(): void {
    this.#flushedSeq = this.#log.committedSeq;
    this.#stopTap = this.#log.follow(this.#flushedSeq, (events) => this.#hear(events));
  }

  #place(reader: Reader): void {
    if (reader.isOver) return;
    if (reader.cursor >= this.#flushedSeq) this.#live.add(reader);
    else void this.#catchUp(reader);
  }

  async #catchUp(reader: Reader): Promise<void> {
    while (reader.cursor < this.#flushedSeq) {
      const lot = await this.#past.after(reader.cursor, this.#flushedSeq);
      if (reader.isOver || this.#stopTap === undefined) return;
      const taken = lot === undefined ? this.#pause() : hand(reader, lot);
      if (taken !== undefined) await taken;
      if (reader.isOver || this.#stopTap === undefined) return;
    }
    // Without an await since the last look, nothing can have been handed out in between.
    this.#live.add(reader);
  }

  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => void this.#clock.after(READ_RETRY_MS, resolve));
  }

  #hear(events: readonly SessionEvent[]): void {
    for (const event of events) this.#waiting.push(event);
    const waitMs = this.#paidUntilMs - (BURST_LOTS - 1) * FLUSH_MS_MAX - this.#clock.monotonic();
    if (waitMs <= 0 || this.#waiting.length >= WAITING_MAX) this.flush();
    else this.#cancelFlush ??= this.#clock.after(waitMs, () => this.flush());
  }

  #handLot(lot: readonly SessionEvent[]): void {
    const first = lot[0]?.seq ?? 0;
    /** For readers that came with a cursor beyond what had been handed out: those with the same one share. */
    const rests = new Map<number, readonly SessionEvent[]>();
    for (const reader of this.#live) {
      let fresh = lot;
      if (first <= reader.cursor) {
        fresh = rests.get(reader.cursor) ?? lot.filter((event) => event.seq > reader.cursor);
        rests.set(reader.cursor, fresh);
      }
      const taken = fresh.length === 0 ? undefined : hand(reader, fresh);
      if (taken === undefined) continue;
      this.#live.delete(reader);
      void taken.then(() => this.#place(reader));
    }
  }
}

function hand(reader: Reader, events: readonly SessionEvent[]): Promise<void> | undefined {
  reader.cursor = events.at(-1)?.seq ?? reader.cursor;
  return reader.listener(events) ?? undefined;
}
