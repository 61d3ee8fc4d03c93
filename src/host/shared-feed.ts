/**
 * The live end of a session's log, for any number of readers. Those who keep up are handed the very same arrays, at most
 * one lot every few milliseconds, so that a carrier can encode a lot once for all of them. A reader that is behind, or
 * whose listener asks for a pause, reads the log by itself until it has caught up: no gap, no repeat, no queue of its own.
 */
import type { Clock } from "../kit/clock.ts";
import type { EventLog } from "../log/index.ts";
import type { SessionEvent } from "../protocol/index.ts";

/** Half a frame of a display. An event after a quiet time does not wait at all. */
const FLUSH_MS = 8;
/** An event has at most 256 KiB, so a lot stays far below the longest line and a slow client below 8 MiB. */
export const EVENTS_PER_LOT_MAX = 32;
/** A burst does not wait for the time to pass. */
const WAITING_MAX = 512;

type Listener = (events: readonly SessionEvent[]) => void | Promise<void>;

interface Reader {
  readonly listener: Listener;
  cursor: number;
  isOver: boolean;
  /** Ends its own reading of the log; set while it is behind. */
  stop: (() => void) | undefined;
}

export class SharedFeed {
  readonly #log: EventLog;
  readonly #clock: Clock;
  readonly #readers = new Set<Reader>();
  readonly #live = new Set<Reader>();
  #waiting: SessionEvent[] = [];
  /** Everything up to here has been handed out. */
  #flushedSeq = 0;
  #flushedAtMs = -FLUSH_MS;
  #cancelFlush: (() => void) | undefined;
  #stopTap: (() => void) | undefined;

  constructor(log: EventLog, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** As `EventLog.follow`. */
  follow(after: number, listener: Listener): () => void {
    if (this.#stopTap === undefined) this.#open();
    const reader: Reader = { listener, cursor: after, isOver: false, stop: undefined };
    this.#readers.add(reader);
    this.#place(reader);
    return () => {
      reader.isOver = true;
      reader.stop?.();
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
    this.#flushedAtMs = this.#clock.monotonic();
    const lots: (readonly SessionEvent[])[] = [];
    for (let at = 0; at < events.length; at += EVENTS_PER_LOT_MAX) lots.push(events.slice(at, at + EVENTS_PER_LOT_MAX));
    for (const reader of this.#live) this.#handLots(reader, lots);
  }

  #open(): void {
    this.#flushedSeq = this.#log.committedSeq;
    this.#stopTap = this.#log.follow(this.#flushedSeq, (events) => this.#hear(events));
  }

  #place(reader: Reader): void {
    if (reader.isOver) return;
    if (reader.cursor >= this.#flushedSeq) this.#live.add(reader);
    else reader.stop = this.#log.follow(reader.cursor, (events) => this.#catchUp(reader, events));
  }

  #catchUp(reader: Reader, events: readonly SessionEvent[]): void | Promise<void> {
    const taken = hand(reader, events);
    if (taken !== undefined) return taken;
    if (reader.cursor < this.#flushedSeq) return undefined;
    reader.stop?.();
    reader.stop = undefined;
    return this.#place(reader);
  }

  #hear(events: readonly SessionEvent[]): void {
    this.#waiting.push(...events);
    const waitMs = this.#flushedAtMs + FLUSH_MS - this.#clock.monotonic();
    if (waitMs <= 0 || this.#waiting.length >= WAITING_MAX) this.flush();
    else this.#cancelFlush ??= this.#clock.after(waitMs, () => this.flush());
  }

  #handLots(reader: Reader, lots: readonly (readonly SessionEvent[])[]): void {
    for (const lot of lots) {
      if (reader.isOver) return;
      const isAhead = (lot[0]?.seq ?? 0) <= reader.cursor;
      const fresh = isAhead ? lot.filter((event) => event.seq > reader.cursor) : lot;
      const taken = fresh.length === 0 ? undefined : hand(reader, fresh);
      if (taken === undefined) continue;
      this.#live.delete(reader);
      void taken.then(() => this.#place(reader));
      return;
    }
  }
}

function hand(reader: Reader, events: readonly SessionEvent[]): Promise<void> | undefined {
  reader.cursor = events.at(-1)?.seq ?? reader.cursor;
  return reader.listener(events) ?? undefined;
}
