/**
 * Reads a session from disk: takes no lock, writes nothing. The saved snapshot and the tail of the log give the same
 * transcript as the whole log; a snapshot that is absent or not ours costs time, nothing else.
 */
import { openLogReader, type EventLog, type LogReader } from "../../log/index.ts";
import { RoundtableError, type Json, type SnapshotFrame } from "../../protocol/index.ts";
import {
  dropFrozenPages,
  empty,
  fold,
  fromSnapshot,
  pageAt,
  pageToJson,
  toSnapshot,
  type Transcript,
} from "../../transcript/index.ts";
import { assertComplete } from "../maintenance/incomplete-sessions.ts";

/** Rejects with "unknown_session" when there is no such log, or one of a session that was never finished. */
export async function readTranscript(dataDir: string, sessionId: string): Promise<Transcript> {
  return withReader(dataDir, sessionId, (reader) => foldTail(reader, []));
}

export async function readPage(dataDir: string, sessionId: string, page: number): Promise<Json> {
  return withReader(dataDir, sessionId, (reader) => pageFrom(reader, page));
}

/** Undefined when there is none with this hash, or what is there has another. */
export async function readBlob(dataDir: string, sessionId: string, sha256: string): Promise<Uint8Array | undefined> {
  return withReader(dataDir, sessionId, (reader) => reader.blobs.get(sha256));
}

/** Older pages travel by themselves when somebody asks for them. */
export function toSnapshotFrame(transcript: Transcript): SnapshotFrame {
  const { foldVersion, epoch, seq, frozenPages, state } = toSnapshot(transcript);
  return { foldVersion, epoch, seq, frozenPages, state };
}

/** Of a session that is open here. What is given out is on disk: a power cut must not take back what somebody saw. */
export async function snapshotOf(transcript: Transcript, log: EventLog): Promise<SnapshotFrame> {
  try {
    await log.flush();
    return toSnapshotFrame(transcript);
  } catch {
    // The store does not take more; what it has taken is all that may be shown.
    return toSnapshotFrame(await foldTail(log, []));
  }
}

/** A page of a session that is open here, with help of its log for the pages it no longer holds. */
export async function pageOf(transcript: Transcript, reader: LogReader, page: number): Promise<Json> {
  const held = pageAt(transcript, page);
  return held === undefined ? pageFrom(reader, page) : pageToJson(held);
}

async function withReader<T>(dataDir: string, sessionId: string, use: (reader: LogReader) => Promise<T>): Promise<T> {
  const reader = await openLogReader({ dataDir, sessionId });
  try {
    await assertComplete(dataDir, reader);
    return await use(reader);
  } finally {
    await reader.close();
  }
}

async function pageFrom(reader: LogReader, page: number): Promise<Json> {
  const saved = await reader.snapshots.page(page);
  if (saved !== undefined) return saved;
  const withTail = pageAt(await foldTail(reader, [page]), page);
  // The saved head can name a page whose file is gone; the log still has what was on it.
  const loaded = withTail ?? pageAt(await foldOnto(empty(reader.sessionId), reader, [page]), page);
  if (loaded !== undefined) return pageToJson(loaded);
  throw new RoundtableError("unknown_message", `Session ${reader.sessionId} has no page ${page}.`);
}

export async function foldTail(reader: LogReader, wantedPages: readonly number[]): Promise<Transcript> {
  return foldOnto(await savedStart(reader), reader, wantedPages);
}

/** What the saved snapshot says; the empty transcript where there is none that fits. */
export async function savedStart(reader: LogReader): Promise<Transcript> {
  const saved = await reader.snapshots.load();
  const start = saved === undefined || saved.seq > reader.committedSeq ? undefined : fromSnapshot(saved);
  return start ?? empty(reader.sessionId);
}

/** Frozen pages are let go as they appear, but for those to keep, so that a long log fits into little memory. */
async function foldOnto(start: Transcript, reader: LogReader, wantedPages: readonly number[]): Promise<Transcript> {
  let transcript = start;
  const pages = new Map<number, NonNullable<ReturnType<typeof pageAt>>>();
  for await (const events of reader.read(start.head.seq)) {
    transcript = fold(transcript, events);
    for (const index of wantedPages) {
      const page = index < transcript.frozen.length ? pageAt(transcript, index) : undefined;
      if (page !== undefined) pages.set(index, page);
    }
    transcript = dropFrozenPages(transcript, 0);
  }
  const frozen = transcript.frozen.map((page, index) => pages.get(index) ?? page);
  return pages.size === 0 ? transcript : { ...transcript, frozen };
}
