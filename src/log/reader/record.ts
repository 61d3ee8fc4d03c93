/**
 * A record is one line: `{"seq":1,"epoch":1,…,"crc":"0a1b2c3d"}
 * `. The checksum is the crc32 of the bytes before `,"crc"`, so a line can be verified without parsing it, and nothing
 * in an event can be mistaken for it.
 */
import { crc32 } from "node:zlib";

/** `,"crc":"0a1b2c3d"}` */
export const CRC_TAIL_BYTES = 18;
/** Bytes of a record beside its event's JSON: the tail without its brace, and the newline. */
export const RECORD_EXTRA_BYTES = CRC_TAIL_BYTES - "}".length + "\n".length;

const CRC_DIGITS = 8;
const SEQ_KEY = Buffer.from('{"seq":');
const EPOCH_KEY = Buffer.from(',"epoch":');
const CRC_KEY = Buffer.from(',"crc":"');
const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACE = 0x7d;
const BLANK = 0x20;
const ZERO = 0x30;
const DIGITS_MAX = 15;
/** Larger seqs and epochs could be written, but not read back. */
export const RECORD_NUMBER_MAX = 10 ** DIGITS_MAX - 1;
const HEX = Buffer.from("0123456789abcdef");
const HEX_VALUES = new Int8Array(256).fill(-1);
for (const [value, byte] of HEX.entries()) HEX_VALUES[byte] = value;

export interface EncodedRecords {
  readonly bytes: Buffer;
  /** Offset of each record in `bytes`. */
  readonly starts: readonly number[];
}

/** `texts` are events as JSON, `lengths` their sizes in UTF-8. */
export function encodeRecords(texts: readonly string[], lengths: readonly number[]): EncodedRecords {
  let joined = "";
  for (const text of texts) joined += `${text.slice(0, -1)},"crc":"00000000"}\n`;
  const bytes = Buffer.from(joined);
  const starts: number[] = [];
  let start = 0;
  for (const length of lengths) {
    starts.push(start);
    const bodyEnd = start + length - 1;
    writeHex(bytes, bodyEnd + CRC_KEY.length, crc32(bytes.subarray(start, bodyEnd)));
    start += length + RECORD_EXTRA_BYTES;
  }
  return { bytes, starts };
}

export interface RecordFacts {
  seq: number;
  epoch: number;
}

/** Whether bytes[start, end) is a valid record (without its newline); if so, fills `facts`. */
export function checkRecord(bytes: Buffer, start: number, end: number, facts: RecordFacts): boolean {
  const bodyEnd = end - CRC_TAIL_BYTES;
  if (bodyEnd <= start || bytes[end - 1] !== BRACE || bytes[end - 2] !== QUOTE) return false;
  if (!matches(bytes, bodyEnd, CRC_KEY) || !matches(bytes, start, SEQ_KEY)) return false;
  let crc = 0;
  for (let at = end - 2 - CRC_DIGITS; at < end - 2; at++) {
    const value = HEX_VALUES[bytes[at] ?? 0] ?? -1;
    if (value < 0) return false;
    crc = crc * 16 + value;
  }
  const seqEnd = digitsEnd(bytes, start + SEQ_KEY.length);
  const epochStart = seqEnd + EPOCH_KEY.length;
  if (!matches(bytes, seqEnd, EPOCH_KEY)) return false;
  const epochEnd = digitsEnd(bytes, epochStart);
  if (bytes[epochEnd] !== COMMA) return false;
  if (crc32(bytes.subarray(start, bodyEnd)) !== crc) return false;
  facts.seq = numberIn(bytes, start + SEQ_KEY.length, seqEnd);
  facts.epoch = numberIn(bytes, epochStart, epochEnd);
  return facts.seq > 0 && facts.epoch > 0;
}

export interface SalvagedRecord extends RecordFacts {
  start: number;
  end: number;
}

/** Ends tried for one beginning: an event may contain an object that ends like a record. */
const ENDS_TRIED_MAX = 8;

/** Valid records inside an invalid line: records without newlines between them, or after foreign bytes. */
export function salvageRecords(bytes: Buffer, from: number, to: number): SalvagedRecord[] {
  const records: SalvagedRecord[] = [];
  const line = bytes.subarray(0, to);
  const facts = { seq: 0, epoch: 0 };
  let start = line.indexOf(SEQ_KEY, from);
  while (start >= 0) {
    const end = endOfRecord(line, start, facts);
    if (end > 0) records.push({ start, end, ...facts });
    start = line.indexOf(SEQ_KEY, end > 0 ? end : start + 1);
  }
  return records;
}

function endOfRecord(line: Buffer, start: number, facts: RecordFacts): number {
  let tail = line.indexOf(CRC_KEY, start);
  for (let tried = 0; tail >= 0 && tried < ENDS_TRIED_MAX; tried++) {
    const end = tail + CRC_TAIL_BYTES;
    if (end <= line.length && checkRecord(line, start, end, facts)) return end;
    tail = line.indexOf(CRC_KEY, tail + 1);
  }
  return 0;
}

function matches(bytes: Buffer, at: number, key: Buffer): boolean {
  for (let i = 0; i < key.length; i++) if (bytes[at + i] !== key[i]) return false;
  return true;
}

function digitsEnd(bytes: Buffer, at: number): number {
  let end = at;
  for (; end - at < DIGITS_MAX; end++) {
    const digit = (bytes[end] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) break;
  }
  return end;
}

function numberIn(bytes: Buffer, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) value = value * 10 + (bytes[at] ?? 0) - ZERO;
  return value;
}

function writeHex(bytes: Buffer, at: number, value: number): void {
  for (let i = 0; i < CRC_DIGITS; i++) bytes[at + i] = HEX[(value >>> (28 - 4 * i)) & 15] ?? ZERO;
}

/** Turns a verified record in `bytes` into its event's JSON followed by blanks, in place. */
export function blankCrc(bytes: Buffer, end: number): void {
  const bodyEnd = end - CRC_TAIL_BYTES;
  bytes[bodyEnd] = BRACE;
  for (let at = bodyEnd + 1; at < end; at++) bytes[at] = BLANK;
}

/** Replaces the newline between two adjacent records by a comma, so that both can be parsed at once. */
export function joinRecords(bytes: Buffer, newline: number): void {
  bytes[newline] = COMMA;
}
