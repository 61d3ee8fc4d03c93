/**
 * Opens a session's log for writing, and creates it when there is none: finds its end, cuts a torn tail, takes the next
 * epoch. Takes no lock; the caller holds `acquireLock`.
 */

import { join, dirname } from "node:path";
import { systemClock, type Clock } from "../../kit/clock.ts";
import { RoundtableError, type SessionEvent } from "../../protocol/index.ts";
import { BATCH_BYTES_MAX } from "./backlog.ts";
import { expandLog, settleCompressed } from "../lifecycle/compress-log.ts";
import { ensureDirectory } from "../files/directories.ts";
import type { EventLog, RecoveryReport, BlobStore } from "../event-log.ts";
import { FileLog } from "./file-log.ts";
import { errorCodeOf } from "../../kit/files/system-error.ts";
import { FILE_MODE, type FilePort, type OpenFile } from "../files/file-port.ts";
import { endsWithWholeRecord, findHead, indexFileOf, type LogHead } from "../reader/head.ts";
import { nodeFiles } from "../files/node-files.ts";
import { sessionPaths, tornPath, type SessionPaths } from "../files/paths.ts";
import { RECORD_NUMBER_MAX, encodeRecords } from "../reader/record.ts";
import { readEpoch, writeEpoch } from "./epoch.ts";
import { readRange } from "../reader/scan.ts";
import { UNSYNCED_BYTES_MAX } from "./writer.ts";
import { createBlobs } from "../files/blobs.ts";

/** More than a writer ever leaves unsynced: its limit in memory, and one more write. */
const LEFT_UNSYNCED_BYTES_MAX = UNSYNCED_BYTES_MAX + BATCH_BYTES_MAX;
const REWRITE_BYTES = 1024 * 1024;

export interface OpenLogOptions {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly files?: FilePort;
  readonly clock?: Clock;
}

/** Throws `store_unavailable` when the disk fails, `version_mismatch` for a log of another format. */
export async function openFileLog(options: OpenLogOptions): Promise<EventLog> {
  const { dataDir, sessionId, files = nodeFiles, clock = systemClock } = options;
  const paths = sessionPaths(dataDir, sessionId);
  let file: OpenFile | undefined;
  try {
    file = await openOrCreate(files, paths);
    const indexPath = indexFileOf(paths.snapshots);
    let scannedHead = await findHead({ files, file, indexPath });
    if (scannedHead.ownerId !== undefined && scannedHead.ownerId !== sessionId)
      throw wrongOwnerError(paths.log, scannedHead.ownerId);
    if (await endsWithWholeRecord(file, scannedHead)) {
      await addNewline(file);
      scannedHead = await findHead({ files, file, indexPath });
    }
    const last = Math.max(scannedHead.epoch, await readEpoch(files, paths.epoch));
    const epoch = last + 1;
    if (epoch > RECORD_NUMBER_MAX || scannedHead.seq >= RECORD_NUMBER_MAX) throw numbersExhausted(sessionId);
    const { recovery, head } = await recover({ files, file, head: scannedHead, paths, clock });
    await writeEpoch(files, paths.epoch, epoch);
    await settleCompressed(files, paths, clock.now());
    sweepTemporaries(files, paths);
    return new FileLog({ files, clock, paths, sessionId, epoch, file, head, recovery });
  } catch (error) {
    file?.close();
    if (error instanceof RoundtableError || errorCodeOf(error) === "") throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new RoundtableError("store_unavailable", `Session ${sessionId} cannot be opened for writing: ${reason}`, {
      cause: error,
    });
  }
}

/** Further events would be acknowledged, and cut as a torn tail at the next open, because they cannot be read back. */
function numbersExhausted(sessionId: string): RoundtableError {
  return new RoundtableError(
    "store_unavailable",
    `Session ${sessionId} is full: its log has reached number ${RECORD_NUMBER_MAX}, the highest that can be read back.`,
    {
      hint: "Sessions do not reach this limit in normal use: the file was edited by hand. It can still be read and exported.",
    },
  );
}

/** Continuing it would mix the records of two sessions. */
function wrongOwnerError(path: string, ownerId: string): RoundtableError {
  return new RoundtableError("conflict", `${path} is the log of session ${ownerId}, copied or renamed by hand.`, {
    hint: `Restore the file's name. To work on a copy: roundtable sessions fork ${ownerId}`,
  });
}

async function addNewline(file: OpenFile): Promise<void> {
  file.write(Buffer.from("\n"));
  await file.datasync();
}

async function openOrCreate(files: FilePort, paths: SessionPaths): Promise<OpenFile> {
  try {
    return files.openToAppend(paths.log);
  } catch (error) {
    if (errorCodeOf(error) !== "ENOENT") throw error;
  }
  if (files.stat(paths.compressed) !== undefined) {
    await expandLog(files, paths);
    return files.openToAppend(paths.log);
  }
  await ensureDirectory(files, paths.logs);
  const file = files.create(paths.log, FILE_MODE);
  await files.syncDirectory(paths.logs);
  return file;
}

interface RecoverOptions {
  readonly files: FilePort;
  readonly file: OpenFile;
  readonly head: LogHead;
  readonly paths: SessionPaths;
  readonly clock: Clock;
}

/** Afterwards the file is empty or ends with a complete record, and all of it is on disk. */
async function recover(options: RecoverOptions): Promise<{ recovery: RecoveryReport; head: LogHead }> {
  const { files, file, head, paths, clock } = options;
  const { damages, end, size } = head;
  const tornBytes = size - end;
  const copyPath = tornPath(paths, clock.now());
  const tornFile = tornBytes === 0 ? undefined : await cutTornTail(files, { file, end, size, copyPath });
  if (end > head.syncedEnd) await rewriteUnsynced(files, paths.log, file, head);
  return { recovery: { tornBytes, tornFile, damages }, head };
}

/**
 * The last writer may have been killed before it synced its last records, or after their sync had failed. In the second
 * case they look written, a sync now would succeed, and they would be lost in a power cut. Overwriting them with
 * themselves makes the system write them again.
 */
async function rewriteUnsynced(
  files: FilePort,
  path: string,
  file: OpenFile,
  { syncedEnd, end }: LogHead,
): Promise<void> {
  for (let at = Math.max(syncedEnd, end - LEFT_UNSYNCED_BYTES_MAX); at < end; at += REWRITE_BYTES) {
    files.overwrite(path, at, await readRange(file, at, Math.min(end, at + REWRITE_BYTES)));
  }
  await file.datasync();
}

/**
 * Removes temporary files left by a crash. Small ones beside the log are rare, and searching for them is slow; the
 * names of the large ones are known.
 */
function sweepTemporaries(files: FilePort, paths: SessionPaths): void {
  for (const path of [`${paths.compressed}.tmp`, `${paths.log}.tmp`]) {
    if (files.stat(path) !== undefined) files.unlink(path);
  }
  for (const directory of [paths.snapshots, paths.blobs]) {
    for (const name of files.readdir(directory)) {
      if (name.endsWith(".tmp")) files.unlink(join(directory, name));
    }
  }
}

/** A torn tail, left by a crash during the last write, is copied aside for inspection by a person, then cut. */
const COPY_BYTES = 1024 * 1024;

interface TornTail {
  readonly file: OpenFile;
  readonly end: number;
  readonly size: number;
  /** Preferred name of the copy; a number is appended when it is taken. */
  readonly copyPath: string;
}

/** Returns the name of the copy. The tail is cut only after the copy is on disk. */
async function cutTornTail(files: FilePort, { file, end, size, copyPath }: TornTail): Promise<string> {
  let path = copyPath;
  for (let n = 2; files.stat(path) !== undefined; n++) path = `${copyPath}-${n}`;
  const copy = files.create(path, FILE_MODE);
  try {
    for (let at = end; at < size; at += COPY_BYTES) {
      const chunk = await readRange(file, at, Math.min(size, at + COPY_BYTES));
      for (let done = 0; done < chunk.length;) done += copy.write(chunk.subarray(done));
    }
    await copy.datasync();
  } finally {
    copy.close();
  }
  await files.syncDirectory(dirname(path));
  file.truncate(end);
  await file.datasync();
  return path;
}

/**
 * Appends events that were numbered and stamped elsewhere, unchanged: an exported log that is imported. Continues after
 * the last event, so that a cut import is completed by the next attempt. Takes no lock; the caller holds it.
 */
export interface AdoptedLog {
  /** The last seq in the log. */
  readonly seq: number;
  readonly blobs: BlobStore;
  /** In order, each with a seq above the last and an epoch not below it. */
  write(events: readonly SessionEvent[]): void;
  /** On disk when it resolves. */
  close(): Promise<void>;
}

export async function openAdoptedLog(options: {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly files?: FilePort;
}): Promise<AdoptedLog> {
  const { dataDir, sessionId, files = nodeFiles } = options;
  const paths = sessionPaths(dataDir, sessionId);
  const file = await openOrCreate(files, paths);
  const head = await findHead({ files, file, indexPath: indexFileOf(paths.snapshots) });
  if (head.size > head.end) {
    const copyPath = tornPath(paths, systemClock.now());
    await cutTornTail(files, { file, end: head.end, size: head.size, copyPath });
  }
  let seq = head.seq;
  let epoch = head.epoch;
  return {
    get seq() {
      return seq;
    },
    blobs: createBlobs({ files, directory: paths.blobs, prepare: () => ensureDirectory(files, paths.blobs) }),
    write(events) {
      for (const event of events) {
        const isReadable = event.seq <= RECORD_NUMBER_MAX && event.epoch <= RECORD_NUMBER_MAX;
        if (event.seq <= seq || event.epoch < epoch || !isReadable) {
          throw new Error(`Event ${event.seq} of epoch ${event.epoch} cannot follow ${seq} of epoch ${epoch}.`);
        }
        ({ seq, epoch } = event);
      }
      const texts = events.map((event) => JSON.stringify(event));
      const { bytes } = encodeRecords(
        texts,
        texts.map((text) => Buffer.byteLength(text)),
      );
      for (let done = 0; done < bytes.length;) done += file.write(bytes.subarray(done));
    },
    async close() {
      try {
        await file.datasync();
        const known = await readEpoch(files, paths.epoch);
        if (epoch > known) await writeEpoch(files, paths.epoch, epoch);
      } finally {
        file.close();
      }
    },
  };
}
