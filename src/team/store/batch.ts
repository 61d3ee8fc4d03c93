/** A batch of events on its way into a store: checked, encoded, and compared with what is stored already. */
import { crc32 } from "node:zlib";
import { EVENT_BYTES_MAX, type Cursor, type SessionEvent } from "../../protocol/index.ts";
import { TeamStoreError, type Writer } from "./team-store.ts";

/** Per `ingest`. */
const BATCH_EVENTS_MAX = 1_000;
const BATCH_BYTES_MAX = 8 * 1024 * 1024;

export interface EncodedEvent {
  readonly seq: number;
  /** Less than `seq` for a damaged range, which is one event. */
  readonly fromSeq: number;
  readonly epoch: number;
  readonly crc: number;
  /** One line of JSON. */
  readonly body: string;
}

/** Throws `bad_batch` for events that no log can have in this order. */
export function encodeBatch(writer: Writer, events: readonly SessionEvent[]): EncodedEvent[] {
  if (events.length > BATCH_EVENTS_MAX) throw badBatch(`has more than ${BATCH_EVENTS_MAX} events`);
  let before: EncodedEvent | undefined;
  let bytes = 0;
  return events.map((event) => {
    const encoded = encode(event);
    if (event.sessionId !== writer.sessionId) throw badBatch(`has an event of session ${event.sessionId}`);
    if (!isPositive(encoded.fromSeq) || !isPositive(encoded.seq) || encoded.fromSeq > encoded.seq)
      throw badBatch(`has an event with seq ${String(encoded.seq)}`);
    if (before !== undefined && encoded.fromSeq !== before.seq + 1)
      throw badBatch(`continues ${before.seq} with ${encoded.fromSeq}`);
    if (!isPositive(encoded.epoch) || encoded.epoch < (before?.epoch ?? 1) || encoded.epoch > writer.epoch)
      throw badBatch(`has epoch ${String(encoded.epoch)} at seq ${encoded.seq}, in epoch ${writer.epoch}`);
    const size = Buffer.byteLength(encoded.body);
    bytes += size;
    if (size > EVENT_BYTES_MAX || bytes > BATCH_BYTES_MAX) throw badBatch("is too large");
    before = encoded;
    return encoded;
  });
}

function encode(event: SessionEvent): EncodedEvent {
  const body = JSON.stringify(event);
  const { seq, epoch } = event;
  return { seq, fromSeq: event.type === "damage" ? event.fromSeq : seq, epoch, crc: crc32(body), body };
}

/** Throws `damaged` when the text is not what was stored. */
export function decodeEvent(sessionId: string, { seq, crc, body }: Omit<EncodedEvent, "fromSeq">): SessionEvent {
  if (crc32(body) === crc) return JSON.parse(body) as SessionEvent;
  throw new TeamStoreError("damaged", `Event ${seq} of session ${sessionId} does not match its checksum.`, {
    hint: "Restore the database from a backup, or delete the session here and let its runner ship it again.",
  });
}

function isPositive(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

function badBatch(what: string): TeamStoreError {
  return new TeamStoreError("bad_batch", `The batch ${what}.`);
}

/** What a store knows of a session before a batch. */
export interface StoredSession {
  readonly runnerId: string;
  /** The highest epoch in which it was shipped. */
  readonly epoch: number;
  /** Its last event. */
  readonly head: Cursor;
}

export interface Comparison {
  /** Stored events from here on are replaced. */
  readonly replaceFrom: number | undefined;
  readonly fresh: readonly EncodedEvent[];
}

/** Throws what is wrong with the writer or with where the batch begins. */
export function checkWriter(writer: Writer, session: StoredSession, first: EncodedEvent | undefined): void {
  const { head } = session;
  if (writer.runnerId !== session.runnerId) {
    throw new TeamStoreError("conflict", `Session ${writer.sessionId} belongs to another runner.`, { head });
  }
  if (writer.epoch < session.epoch) {
    throw new TeamStoreError(
      "stale_epoch",
      `Session ${writer.sessionId} was continued in epoch ${session.epoch}; this is epoch ${writer.epoch}.`,
      { head, hint: "Another process or an older copy of the log is writing. Stop it, or join under another name." },
    );
  }
  if (first !== undefined && first.fromSeq > head.seq + 1) {
    const message = `Session ${writer.sessionId} is stored up to ${head.seq}; the batch begins with ${first.fromSeq}.`;
    throw new TeamStoreError("gap", message, { head });
  }
}

/**
 * Compares a batch with the stored events of the same seqs. A damaged range of the runner's log never replaces what was
 * stored before the damage, and what was shipped as damaged stays so.
 */
export function compareBatch(
  batch: readonly EncodedEvent[],
  head: Cursor,
  storedAt: ReadonlyMap<number, Pick<EncodedEvent, "epoch" | "crc">>,
): Comparison {
  for (const [index, event] of batch.entries()) {
    if (event.seq > head.seq) {
      if (event.epoch < head.epoch) throw olderCopy(event, head);
      return { replaceFrom: undefined, fresh: batch.slice(index) };
    }
    const stored = storedAt.get(event.seq);
    if (stored === undefined || event.fromSeq < event.seq) continue;
    if (event.epoch > stored.epoch) return { replaceFrom: event.seq, fresh: batch.slice(index) };
    if (event.epoch < stored.epoch) throw olderCopy(event, head);
    if (event.crc !== stored.crc) {
      throw new TeamStoreError("conflict", `Event ${event.seq} of epoch ${event.epoch} is stored with other content.`, {
        head,
        hint: "Two machines are shipping the same session. Stop one of them, or join with it under another name.",
      });
    }
  }
  return { replaceFrom: undefined, fresh: [] };
}

function olderCopy({ seq, epoch }: EncodedEvent, head: Cursor): TeamStoreError {
  const message = `Event ${seq} has epoch ${epoch}, which is lower than what is stored.`;
  return new TeamStoreError("stale_epoch", message, {
    head,
    hint: "The log on this machine is older than its copy on the server. Restore it, or fork the session.",
  });
}
