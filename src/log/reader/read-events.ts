/** Reads events from a log file in batches, from any seq; a `damage` event stands for a missing range. */

import type { EventOf, SessionEvent, Cursor } from "../../protocol/index.ts";
import type { Damage } from "../event-log.ts";
import type { OpenFile } from "../files/file-port.ts";
import type { OffsetIndex } from "./offset-index.ts";
import { blankCrc, joinRecords, type RecordFacts } from "./record.ts";
import { Scanner, type ScanVisitor, scanFile } from "./scan.ts";

export interface EventSource {
  readonly sessionId: string;
  readonly index: OffsetIndex;
  /** Stays open between reads; closed by its owner. */
  openFile(): OpenFile;
  /** Readable size; bytes after it are not committed. */
  committedBytes(): number;
}

export async function* readEvents(source: EventSource, after: number): AsyncGenerator<SessionEvent[], void, void> {
  for await (const collector of walk(source, after + 1, () => new EventCollector(source, after))) {
    const events = collector.drainBatch();
    if (events.length > 0) yield events;
  }
}

/** Epochs of the nearest records at or before `seq` and after it; undefined where there is none. */
async function neighborEpochs(source: EventSource, seq: number): Promise<{ at?: number; next?: number }> {
  let epochs: { at?: number; next?: number } = {};
  for await (const visitor of walk(source, seq, () => new EpochVisitor(seq))) {
    epochs = visitor.epochs;
    if (epochs.next !== undefined) break;
  }
  return epochs;
}

/** Scans from the record at or before `seq`, chunk by chunk, and yields the visitor after each. */
async function* walk<Visitor extends ScanVisitor>(
  source: EventSource,
  seq: number,
  createVisitor: () => Visitor,
): AsyncGenerator<Visitor, void, void> {
  const start = source.index.find(seq);
  const visitor = createVisitor();
  const scanner = new Scanner(visitor, start);
  for await (const _ of scanFile(source.openFile(), scanner, () => source.committedBytes())) {
    const { first } = scanner;
    if (start.offset > 0 && first !== undefined && (first.offset !== start.offset || first.seq !== start.seq + 1)) {
      // The index belongs to another state of the file. Start from the beginning instead.
      source.index.clear();
      yield* walk(source, seq, createVisitor);
      return;
    }
    yield visitor;
  }
}

class EpochVisitor implements ScanVisitor {
  readonly epochs: { at?: number; next?: number } = {};
  readonly #seq: number;

  constructor(seq: number) {
    this.#seq = seq;
  }

  record(_bytes: Buffer, _start: number, _end: number, facts: RecordFacts): void {
    if (facts.seq <= this.#seq) this.epochs.at = facts.epoch;
    else this.epochs.next ??= facts.epoch;
  }

  damage(): void {
    // A missing record has no epoch; its neighbours stand for it.
  }
}

export class EventCollector implements ScanVisitor {
  readonly #source: Pick<EventSource, "sessionId" | "index">;
  readonly #after: number;
  #batch: SessionEvent[] = [];
  /** Adjacent records that are not parsed yet. */
  #bytes: Buffer = Buffer.alloc(0);
  readonly #starts: number[] = [];
  #end = 0;
  #endOffset = 0;

  constructor(source: Pick<EventSource, "sessionId" | "index">, after: number) {
    this.#source = source;
    this.#after = after;
  }

  record(bytes: Buffer, start: number, end: number, facts: RecordFacts, offset: number): void {
    this.#source.index.note(facts.seq, offset);
    if (facts.seq <= this.#after) return;
    if (this.#starts.length > 0) {
      if (this.#end === start - 1) joinRecords(bytes, this.#end);
      else this.#parseGroup();
    }
    this.#bytes = bytes;
    this.#starts.push(start);
    this.#end = end;
    this.#endOffset = offset + end - start;
    blankCrc(bytes, end);
  }

  damage(damage: Damage, next: { bytes: Buffer; start: number } | undefined): void {
    if (next === undefined || damage.toSeq < damage.fromSeq || damage.toSeq <= this.#after) return;
    this.#parseGroup();
    this.#batch.push(this.#damageEvent(damage, next.bytes, next.start));
  }

  drainBatch(): SessionEvent[] {
    this.#parseGroup();
    const batch = this.#batch;
    this.#batch = [];
    return batch;
  }

  #parseGroup(): void {
    if (this.#starts.length === 0) return;
    const events =
      this.#parseTogether() ?? this.#starts.map((start, at) => this.#parseAlone(start, this.#starts[at + 1]));
    this.#batch = this.#batch.length === 0 ? events : this.#batch.concat(events);
    this.#starts.length = 0;
  }

  #parseTogether(): SessionEvent[] | undefined {
    try {
      const events = JSON.parse(`[${this.#bytes.toString("utf8", this.#starts[0], this.#end)}]`) as SessionEvent[];
      return events.length === this.#starts.length ? events : undefined;
    } catch {
      // One of them is not JSON although its checksum is valid; parsed one by one, the others are saved.
      return undefined;
    }
  }

  #parseAlone(start: number, next: number | undefined): SessionEvent {
    const end = next === undefined ? this.#end : next - 1;
    try {
      return JSON.parse(this.#bytes.toString("utf8", start, end)) as SessionEvent;
    } catch {
      const { seq } = envelopeIn(this.#bytes, start);
      const offset = this.#endOffset - (this.#end - start);
      return this.#damageEvent({ fromSeq: seq, toSeq: seq, offset, bytes: end - start }, this.#bytes, start);
    }
  }

  /** Made from the file only, so that it is the same at every read; `seq` is the last missing one. */
  #damageEvent(lost: Omit<Damage, "what">, bytes: Buffer, nextStart: number): EventOf<"damage"> {
    const { fromSeq, toSeq, offset } = lost;
    const { epoch, ts } = envelopeIn(bytes, nextStart);
    const id = `damage-${fromSeq}-${toSeq}`;
    const { sessionId } = this.#source;
    return { seq: toSeq, epoch, id, ts, sessionId, type: "damage", fromSeq, toSeq, offset, bytes: lost.bytes };
  }
}

const ENVELOPE = /^\{"seq":(\d+),"epoch":(\d+),(?:"id":"[^"]*","ts":(\d+))?/;
const ENVELOPE_BYTES_MAX = 160;

function envelopeIn(bytes: Buffer, start: number): { seq: number; epoch: number; ts: number } {
  const match = ENVELOPE.exec(bytes.toString("latin1", start, start + ENVELOPE_BYTES_MAX));
  return { seq: Number(match?.[1] ?? 1), epoch: Number(match?.[2] ?? 1), ts: Number(match?.[3] ?? 0) };
}

interface KnownEnd {
  readonly seq: number;
  /** Epoch that the log is open with; for a reader, that of its last record. */
  readonly openEpoch: number;
}

/**
 * Whether a log can have given out a cursor: after a power cut other events may have the seqs of lost ones. A cursor
 * carries the epoch of its event, or a later one in which nothing was appended before it was given out, so its epoch is
 * between that of its event and that of the next event.
 */
export async function knowsCursor(source: EventSource, end: KnownEnd, { epoch, seq }: Cursor): Promise<boolean> {
  if (seq > end.seq) return false;
  if (seq === 0 && epoch === 0) return true;
  const { at = 0, next = end.openEpoch } = await neighborEpochs(source, seq);
  return at <= epoch && epoch <= next;
}
