/**
 * Reads a session from disk without a lock and without writing. Snapshot plus tail of the log give the same transcript
 * as the whole log; a missing or outdated snapshot only costs time.
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

/** Rejects with "unknown_session" when there is no such log, or the session was never fully created. */
export async function readTranscript(dataDir: string, sessionId: string): Promise<Transcript> {
  return withReader(dataDir, sessionId, (reader) => foldTail(reader, []));
}

export async function readPage(dataDir: string, sessionId: string, page: number): Promise<Json> {
  return withReader(dataDir, sessionId, (reader) => pageFrom(reader, page));
}

/** Undefined when there is no blob with this hash, or its content does not match. */
export async function readBlob(dataDir: string, sessionId: string, sha256: string): Promise<Uint8Array | undefined> {
  return withReader(dataDir, sessionId, (reader) => reader.blobs.get(sha256));
}

/** Without older pages, which clients request separately. */
export function toSnapshotFrame(transcript: Transcript): SnapshotFrame {
  const { foldVersion, epoch, seq, frozenPages, state } = toSnapshot(transcript);
  return { foldVersion, epoch, seq, frozenPages, state };
}

/** Snapshot of a session that is open here. Flushed first: a power cut must not take back what a client saw. */
export async function snapshotOf(transcript: Transcript, log: EventLog): Promise<SnapshotFrame> {
  try {
    await log.flush();
    return toSnapshotFrame(transcript);
  } catch {
    // The store is failing: show the state on disk.
    return toSnapshotFrame(await foldTail(log, []));
  }
}

/** A page of a session that is open here; pages that are no longer in memory are read from its log. */
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

export async function pageFrom(reader: LogReader, page: number): Promise<Json> {
  const saved = await reader.snapshots.page(page);
  if (saved !== undefined) return saved;
  const withTail = pageAt(await foldTail(reader, [page]), page);
  // The snapshot may name a page whose file is gone; the log still has its content.
  const loaded = withTail ?? pageAt(await foldOnto(empty(reader.sessionId), reader, [page]), page);
  if (loaded !== undefined) return pageToJson(loaded);
  throw new RoundtableError("unknown_message", `Session ${reader.sessionId} has no page ${page}.`);
}

export async function foldTail(reader: LogReader, wantedPages: readonly number[]): Promise<Transcript> {
  return foldOnto(await savedStart(reader), reader, wantedPages);
}

/** The saved snapshot, or the empty transcript when there is none that fits. */
export async function savedStart(reader: LogReader): Promise<Transcript> {
  const saved = await reader.snapshots.load();
  const start = saved === undefined || saved.seq > reader.committedSeq ? undefined : fromSnapshot(saved);
  return start ?? empty(reader.sessionId);
}

/** Drops frozen pages while folding, except the wanted ones, so that a long log needs little memory. */
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
