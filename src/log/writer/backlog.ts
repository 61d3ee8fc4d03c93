/**
 * Events that are numbered but not yet in the file. While the store fails, their memory is limited: beyond the limit
 * stream events are refused and counted, and sync events use a reserve.
 */
import {
  EVENT_BYTES_MAX,
  RoundtableError,
  syncClassOf,
  type EventDraft,
  type SessionEvent,
} from "../../protocol/index.ts";
import { encodeRecords, RECORD_EXTRA_BYTES, RECORD_NUMBER_MAX } from "../reader/record.ts";

export const BACKLOG_BYTES_MAX = 8 * 1024 * 1024;
export const BACKLOG_RESERVE_BYTES = 1024 * 1024;
/** Limit of one write. */
export const BATCH_BYTES_MAX = 1024 * 1024;

export interface Waiting {
  readonly event: SessionEvent;
  readonly text: string;
  readonly jsonBytes: number;
  readonly isSync: boolean;
}

export interface Batch {
  readonly events: readonly SessionEvent[];
  readonly bytes: Buffer;
  /** Offset of each record in `bytes`. */
  readonly starts: readonly number[];
  readonly isSync: boolean;
  readonly lastSeq: number;
}

export interface Envelope {
  readonly seq: number;
  readonly epoch: number;
  readonly id: string;
  readonly ts: number;
  readonly sessionId: string;
}

/** Stamps and encodes one draft. Throws for an event that can never be written, before anything is accepted. */
export function prepare(draft: EventDraft, envelope: Envelope): Waiting {
  const syncClass = syncClassOf(draft.type);
  if (syncClass === "derived") {
    throw new RoundtableError("unsupported", `A ${draft.type} event is made by readers of the log and never written.`);
  }
  const { seq, epoch, id, ts, sessionId } = envelope;
  // It would be acknowledged now and cut as a torn tail at the next open.
  if (seq > RECORD_NUMBER_MAX || epoch > RECORD_NUMBER_MAX) {
    throw new RoundtableError("too_large", `Event ${seq} of epoch ${epoch} has a number above ${RECORD_NUMBER_MAX}.`);
  }
  const event: SessionEvent = { seq, epoch, id, ts, sessionId, ...draft };
  // A draft copied from another event may contain its envelope, which must not win.
  if ("seq" in draft || "epoch" in draft || "id" in draft || "ts" in draft || "sessionId" in draft) {
    Object.assign(event, envelope);
  }
  const text = JSON.stringify(event);
  const jsonBytes = Buffer.byteLength(text);
  if (jsonBytes + RECORD_EXTRA_BYTES > EVENT_BYTES_MAX) {
    throw new RoundtableError(
      "too_large",
      `A ${draft.type} event of ${jsonBytes} bytes is larger than the limit of ${EVENT_BYTES_MAX} for a record.`,
      { hint: "Store the large part as a blob and refer to it in the event." },
    );
  }
  return { event, text, jsonBytes, isSync: syncClass === "sync" };
}

export class Backlog {
  bytes = 0;
  #waiting: Waiting[] = [];

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  push(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.bytes += waiting.jsonBytes + RECORD_EXTRA_BYTES;
  }

  /** The next events to write together; they count as backlog until `written` is called. */
  nextBatch(): Batch | undefined {
    if (this.#waiting.length === 0) return undefined;
    let count = 0;
    let bytes = 0;
    let isSync = false;
    const texts: string[] = [];
    const lengths: number[] = [];
    const events: SessionEvent[] = [];
    for (const { event, text, jsonBytes, isSync: needsSync } of this.#waiting) {
      bytes += jsonBytes + RECORD_EXTRA_BYTES;
      if (count > 0 && bytes > BATCH_BYTES_MAX) break;
      // Stream events are delivered after their write: the first text must not wait for the sync of a later event.
      if (count > 0 && needsSync && !isSync) break;
      count++;
      isSync ||= needsSync;
      texts.push(text);
      lengths.push(jsonBytes);
      events.push(event);
    }
    this.#waiting = count === this.#waiting.length ? [] : this.#waiting.slice(count);
    return { events, isSync, lastSeq: events.at(-1)?.seq ?? 0, ...encodeRecords(texts, lengths) };
  }

  written(batch: Batch): void {
    this.bytes -= batch.bytes.length;
  }
}
