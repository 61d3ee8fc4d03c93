/**
 * Scans the bytes of a log for records. It never stops at damage and never skips it silently: the bytes between two
 * valid records are one `Damage`, wherever the scan started and however the bytes were split into chunks.
 */

import { EVENT_BYTES_MAX } from "../../protocol/index.ts";
import type { Damage } from "../event-log.ts";
import { checkRecord, salvageRecords, type RecordFacts } from "./record.ts";
import type { OpenFile } from "../files/file-port.ts";

/** Only this much of a long line is searched for records, so that a line of any length takes bounded memory. */
export const LINE_WINDOW_BYTES = 2 * EVENT_BYTES_MAX;

export interface ScanVisitor {
  /** bytes[start, end) is the record without its newline, at `offset` in the file. */
  record(bytes: Buffer, start: number, end: number, facts: RecordFacts, offset: number): void;
  /** Called before the record that follows the damage; `next` is undefined at the end of the file. */
  damage(damage: Damage, next: { bytes: Buffer; start: number } | undefined): void;
}

export interface ScanStart {
  readonly offset: number;
  readonly seq: number;
  readonly epoch: number;
}

export class Scanner {
  seq: number;
  epoch: number;
  /** Offset of the next byte in the file. */
  offset: number;
  /** End of the last line with a valid record; anything after it is a torn tail. */
  goodEnd: number;
  records = 0;
  /** Offset and seq of the first valid record. */
  first: { offset: number; seq: number } | undefined;
  readonly #visitor: ScanVisitor;
  readonly #facts: RecordFacts = { seq: 0, epoch: 0 };
  #damageStart = -1;
  #damageWhat = "";

  constructor(visitor: ScanVisitor, start: ScanStart = { offset: 0, seq: 0, epoch: 0 }) {
    this.#visitor = visitor;
    this.seq = start.seq;
    this.epoch = start.epoch;
    this.offset = start.offset;
    this.goodEnd = start.offset;
  }

  /**
   * Consumes the complete lines of `bytes`, and the part of an overlong line that cannot hold a record; returns the
   * number of bytes.
   */
  consume(bytes: Buffer): number {
    let at = 0;
    for (;;) {
      const newline = bytes.indexOf(0x0a, at);
      if (newline < 0) break;
      const whole = newline - at <= LINE_WINDOW_BYTES;
      if (whole && checkRecord(bytes, at, newline, this.#facts)) this.#good(bytes, at, newline, this.#facts);
      else this.#bad(bytes, at, newline);
      at = newline + 1;
    }
    if (bytes.length - at > LINE_WINDOW_BYTES) {
      this.#markDamage(this.offset + at, describe(bytes, at, bytes.length));
      at = bytes.length - LINE_WINDOW_BYTES;
    }
    this.offset += at;
    return at;
  }

  /** Reports damage at the end of the file. The torn tail is no damage: it is cut, or still being written. */
  finish(): void {
    if (this.#damageStart >= 0 && this.#damageStart < this.goodEnd)
      this.#reportDamage(this.goodEnd, this.seq + 1, undefined);
  }

  #good(bytes: Buffer, start: number, end: number, facts: RecordFacts): void {
    const offset = this.offset + start;
    this.goodEnd = this.offset + end + 1;
    if (facts.seq <= this.seq) return this.#markDamage(offset, `record ${facts.seq} again`);
    if (facts.epoch < this.epoch) return this.#markDamage(offset, `record ${facts.seq} of an older writer`);
    if (this.#damageStart >= 0 || facts.seq !== this.seq + 1) {
      this.#reportDamage(offset, facts.seq, { bytes, start });
    }
    this.seq = facts.seq;
    this.epoch = facts.epoch;
    this.records++;
    this.first ??= { offset, seq: facts.seq };
    this.#visitor.record(bytes, start, end, facts, offset);
  }

  #bad(bytes: Buffer, lineStart: number, newline: number): void {
    const salvaged = salvageRecords(bytes, Math.max(lineStart, newline - LINE_WINDOW_BYTES), newline);
    let at = lineStart;
    for (const record of salvaged) {
      if (record.start > at) this.#markDamage(this.offset + at, describe(bytes, at, record.start));
      else if (at > lineStart) this.#markDamage(this.offset + at, "records run together on one line");
      this.#good(bytes, record.start, record.end, record);
      at = record.end;
    }
    if (salvaged.length > 0) this.goodEnd = this.offset + newline + 1;
    if (at < newline || salvaged.length === 0) this.#markDamage(this.offset + at, describe(bytes, at, newline));
  }

  #markDamage(offset: number, what: string): void {
    if (this.#damageStart < 0) {
      this.#damageStart = offset;
      this.#damageWhat = what;
    } else if (this.#damageWhat !== what) {
      this.#damageWhat = "unreadable bytes";
    }
  }

  #reportDamage(end: number, nextSeq: number, next: { bytes: Buffer; start: number } | undefined): void {
    const offset = this.#damageStart < 0 ? end : this.#damageStart;
    const what = this.#damageStart < 0 ? "records are missing" : this.#damageWhat;
    this.#damageStart = -1;
    this.#visitor.damage({ offset, bytes: end - offset, fromSeq: this.seq + 1, toSeq: nextSeq - 1, what }, next);
  }
}

function describe(bytes: Buffer, from: number, to: number): string {
  const slice = bytes.subarray(from, to);
  if (slice.length === 0) return "an empty line";
  if (!slice.subarray(1).equals(slice.subarray(0, -1))) return "unreadable bytes";
  return slice[0] === 0 ? "NUL bytes" : slice[0] === 0x0d ? "a carriage return" : "unreadable bytes";
}

/** Chunks are small at first, so that a short read is fast, and never larger than a mebibyte. */
const FIRST_CHUNK_BYTES = 64 * 1024;
/** More than twice the longest line that the scanner examines. */
const CHUNK_BYTES = 1024 * 1024;

/**
 * Yields after each chunk; bytes that the visitor retained are valid until the next step. Ends at `end()`, which is
 * read again for each chunk, or at the end of the file.
 */
export async function* scanFile(file: OpenFile, scanner: Scanner, end: () => number): AsyncGenerator<void, void, void> {
  let buffer = Buffer.allocUnsafe(FIRST_CHUNK_BYTES);
  let held = 0;
  let position = scanner.offset;
  while (position < end()) {
    const room = buffer.subarray(held, Math.min(buffer.length, held + end() - position));
    const count = await file.read(room, position);
    if (count === 0) return;
    position += count;
    held += count;
    const consumed = scanner.consume(buffer.subarray(0, held));
    yield;
    const next = buffer.length < CHUNK_BYTES ? Buffer.allocUnsafe(buffer.length * 4) : buffer;
    buffer.copy(next, 0, consumed, held);
    buffer = next;
    held -= consumed;
  }
}

/** The bytes [from, to) of a file; fewer at its end. */
export async function readRange(file: OpenFile, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
  let done = 0;
  while (done < bytes.length) {
    const count = await file.read(bytes.subarray(done), from + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}
