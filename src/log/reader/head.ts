/**
 * Finds the end of a log: its last valid record and the torn tail after it. A valid index file says where to start, so
 * that a long log is not read at every open; earlier damage is found when it is read, or by a full check.
 */
import { join } from "node:path";
import { RoundtableError } from "../../protocol/index.ts";
import type { Damage } from "../event-log.ts";
import type { FilePort, OpenFile } from "../files/file-port.ts";
import { OffsetIndex } from "./offset-index.ts";
import { checkRecord, CRC_TAIL_BYTES, type RecordFacts } from "./record.ts";
import { LINE_WINDOW_BYTES, Scanner, type ScanStart, type ScanVisitor, readRange, scanFile } from "./scan.ts";
import { readSealed, writeSealed } from "../files/sealed-json.ts";

/** Format that this version writes and reads, stored in the first event of each log. */
const LOG_FORMAT = 1;
const INDEX_VERSION = 1;
/** Further damage is counted, not listed. */
const DAMAGES_MAX = 1000;

export interface LogHead {
  /** Session id in the first record, if it has one. */
  readonly ownerId: string | undefined;
  readonly seq: number;
  readonly epoch: number;
  /** End and start of the last valid record. */
  readonly end: number;
  readonly lastStart: number;
  readonly size: number;
  /** Everything before this offset was synced by the writer that saved the index. */
  readonly syncedEnd: number;
  /** Number of records scanned; all of them after a full check. */
  readonly records: number;
  readonly index: OffsetIndex;
  readonly damages: Damage[];
  readonly damageCount: number;
}

/** Saved state of a head. */
interface SavedIndex {
  version: number;
  seq: number;
  epoch: number;
  end: number;
  lastStart: number;
  entries: number[];
  damages: Damage[];
}

export interface FindHeadOptions {
  readonly files: FilePort;
  readonly file: OpenFile;
  /** Index file to start from; absent for a full scan. */
  readonly indexPath?: string;
  /** Also gets every record when the scan starts at the beginning. */
  readonly passed?: { readonly visitor: ScanVisitor; readonly onChunk: () => void } | undefined;
}

export async function findHead({ files, file, indexPath, passed }: FindHeadOptions): Promise<LogHead> {
  const { ownerId } = await readFirst(file);
  const saved = indexPath === undefined ? undefined : await loadIndex(files, file, indexPath);
  const beside = saved === undefined ? passed : undefined;
  const visitor = new HeadVisitor(saved, beside?.visitor);
  const start: ScanStart = saved
    ? { offset: saved.end, seq: saved.seq, epoch: saved.epoch }
    : { offset: 0, seq: 0, epoch: 0 };
  const scanner = new Scanner(visitor, start);
  const size = file.stat().size;
  const steps = scanFile(file, scanner, () => size);
  while (!(await steps.next()).done) beside?.onChunk();
  scanner.finish();
  return {
    ownerId,
    seq: scanner.seq,
    epoch: scanner.epoch,
    end: scanner.goodEnd,
    lastStart: visitor.lastStart,
    size,
    syncedEnd: saved?.end ?? 0,
    records: scanner.records,
    index: visitor.index,
    damages: visitor.damages,
    damageCount: visitor.damageCount,
  };
}

/** Whether the bytes after the last line are a complete record without its newline. */
export async function endsWithWholeRecord(file: OpenFile, { seq, epoch, end, size }: LogHead): Promise<boolean> {
  if (size - end <= CRC_TAIL_BYTES || size - end > LINE_WINDOW_BYTES) return false;
  const tail = await readRange(file, end, size);
  const facts: RecordFacts = { seq: 0, epoch: 0 };
  return checkRecord(tail, 0, tail.length, facts) && facts.seq > seq && facts.epoch >= epoch;
}

export function indexFileOf(snapshotDirectory: string): string {
  return join(snapshotDirectory, "index.json");
}

/** For a synced head only: later opens rely on it. */
export async function saveIndex(
  files: FilePort,
  path: string,
  head: Omit<LogHead, "ownerId" | "size" | "records" | "syncedEnd">,
): Promise<void> {
  const { seq, epoch, end, lastStart, damages } = head;
  const saved: SavedIndex = {
    version: INDEX_VERSION,
    seq,
    epoch,
    end,
    lastStart,
    entries: head.index.entries(),
    damages,
  };
  await writeSealed(files, path, saved);
}

/** Undefined unless the record that it names as the last one exists. */
async function loadIndex(files: FilePort, file: OpenFile, path: string): Promise<SavedIndex | undefined> {
  const saved = (await readSealed(files, path)) as SavedIndex | undefined;
  if (saved?.version !== INDEX_VERSION || saved.seq === 0) return undefined;
  if (saved.end - saved.lastStart > LINE_WINDOW_BYTES || saved.end - saved.lastStart <= CRC_TAIL_BYTES)
    return undefined;
  const line = await readRange(file, saved.lastStart, saved.end);
  const facts: RecordFacts = { seq: 0, epoch: 0 };
  const isThere =
    line.length === saved.end - saved.lastStart &&
    line.at(-1) === 0x0a &&
    checkRecord(line, 0, line.length - 1, facts) &&
    facts.seq === saved.seq &&
    facts.epoch === saved.epoch;
  return isThere ? saved : undefined;
}

class HeadVisitor implements ScanVisitor {
  readonly index = new OffsetIndex();
  readonly damages: Damage[] = [];
  damageCount = 0;
  lastStart = 0;
  readonly #beside: ScanVisitor | undefined;

  constructor(saved: SavedIndex | undefined, beside: ScanVisitor | undefined) {
    this.#beside = beside;
    if (saved === undefined) return;
    this.index.load(saved.entries);
    for (const damage of saved.damages) this.damages.push(damage);
    this.damageCount = saved.damages.length;
    this.lastStart = saved.lastStart;
  }

  record(bytes: Buffer, start: number, end: number, facts: RecordFacts, offset: number): void {
    this.index.note(facts.seq, offset);
    this.lastStart = offset;
    this.#beside?.record(bytes, start, end, facts, offset);
  }

  damage(damage: Damage, next: Parameters<ScanVisitor["damage"]>[1]): void {
    this.#beside?.damage(damage, next);
    this.damageCount++;
    if (this.damages.length < DAMAGES_MAX) this.damages.push(damage);
    else
      this.damages[DAMAGES_MAX - 1] = { ...damage, what: `${this.damageCount - DAMAGES_MAX + 1} more damaged ranges` };
  }
}

/** Throws for a log of another format, which must not be treated as a damaged one and cut. */
async function readFirst(file: OpenFile): Promise<{ ownerId: string | undefined }> {
  const bytes = await readRange(file, 0, LINE_WINDOW_BYTES);
  const newline = bytes.indexOf(0x0a);
  const unknown = { ownerId: undefined };
  if (newline < 0) return unknown;
  let first: unknown;
  try {
    first = JSON.parse(bytes.toString("utf8", 0, newline));
  } catch {
    // Not JSON: damage, reported by the scan.
    return unknown;
  }
  const { type, format, crc, sessionId } = (first ?? {}) as Record<string, unknown>;
  // One of our records with a wrong checksum is damaged, whatever format it shows.
  if (typeof crc === "string" && !checkRecord(bytes, 0, newline, { seq: 0, epoch: 0 })) return unknown;
  if (type !== "session_created" || format === LOG_FORMAT)
    return { ownerId: typeof sessionId === "string" ? sessionId : undefined };
  throw new RoundtableError(
    "version_mismatch",
    `This session is written in log format ${JSON.stringify(format)}, and this version of Roundtable reads format ${LOG_FORMAT}.`,
    { hint: "Open it with the version that wrote it, or a newer one. Nothing was changed." },
  );
}
