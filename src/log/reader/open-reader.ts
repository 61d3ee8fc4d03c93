/**
 * A log opened for reading: takes no lock and sees the file as it was when opened. It writes nothing unless it
 * was opened to save a snapshot; then the caller holds `acquireLock` meanwhile.
 */

import { RoundtableError, type SessionEvent } from "../../protocol/index.ts";
import { createBlobs } from "../files/blobs.ts";
import { ensureDirectory } from "../files/directories.ts";
import type { LogReader, Damage } from "../event-log.ts";
import { readEpoch } from "../writer/epoch.ts";
import type { FilePort, OpenFile } from "../files/file-port.ts";
import { findHead, indexFileOf, saveIndex, type FindHeadOptions, type LogHead, endsWithWholeRecord } from "./head.ts";
import { nodeFiles } from "../files/node-files.ts";
import { sessionPaths, type SessionPaths } from "../files/paths.ts";
import { OffsetIndex } from "./offset-index.ts";
import { EventCollector, readEvents, type EventSource, knowsCursor } from "./read-events.ts";
import { createSnapshots } from "../files/snapshots.ts";
import { openCompressed } from "../lifecycle/compressed-file.ts";
import { errorCodeOf } from "../../kit/files/system-error.ts";

export interface OpenReaderOptions {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly files?: FilePort;
  /** Allows saving snapshots, and the index of the log beside them. */
  readonly maySave?: boolean;
  /** Called with all events when the end of the log could not be found without reading them. */
  readonly onPassed?: (events: readonly SessionEvent[]) => void;
}

export async function openLogReader(options: OpenReaderOptions): Promise<LogReader> {
  const { dataDir, sessionId, files = nodeFiles, maySave = false, onPassed } = options;
  const paths = sessionPaths(dataDir, sessionId);
  const file = await openLogFile(files, paths, sessionId);
  let head: LogHead;
  let epoch: number;
  try {
    const passed = onPassed === undefined ? undefined : passedTo(onPassed, sessionId);
    head = await findHead({ files, file, indexPath: indexFileOf(paths.snapshots), passed });
    epoch = Math.max(head.epoch, await readEpoch(files, paths.epoch));
  } catch (error) {
    file.close();
    if (error instanceof RoundtableError) throw error;
    throw new RoundtableError("store_unavailable", `The log of session ${sessionId} cannot be read.`, { cause: error });
  }
  const source: EventSource = { sessionId, index: head.index, openFile: () => file, committedBytes: () => head.end };
  const refuse = (): Promise<never> =>
    Promise.reject(new RoundtableError("unsupported", `Session ${sessionId} is open only for reading.`));
  const knows: LogReader["knows"] = (cursor) => knowsCursor(source, { seq: head.seq, openEpoch: epoch }, cursor);
  return {
    sessionId,
    committedSeq: head.seq,
    epoch,
    read: (after) => readEvents(source, after),
    knows,
    snapshots: createSnapshots({
      files,
      directory: paths.snapshots,
      knows,
      prepare: maySave ? () => prepareToSave(files, paths) : refuse,
      onSaved: () => saveIndex(files, indexFileOf(paths.snapshots), head),
    }),
    blobs: createBlobs({ files, directory: paths.blobs, prepare: refuse }),
    close: async () => file.close(),
  };
}

function passedTo(onEvents: (events: readonly SessionEvent[]) => void, sessionId: string): FindHeadOptions["passed"] {
  const visitor = new EventCollector({ sessionId, index: new OffsetIndex() }, 0);
  return { visitor, onChunk: () => onEvents(visitor.drainBatch()) };
}

/** Syncs the records of a dead writer before a snapshot refers to them. */
async function prepareToSave(files: FilePort, paths: SessionPaths): Promise<void> {
  const file = files.openToAppend(paths.log);
  try {
    await file.datasync();
  } finally {
    file.close();
  }
  await ensureDirectory(files, paths.snapshots);
}

/** Opens the plain or the compressed file. Throws `unknown_session` when there is neither. */
async function openLogFile(files: FilePort, paths: SessionPaths, sessionId: string): Promise<OpenFile> {
  const file =
    openIfExists(files, paths.log) ??
    (await openCompressedIfExists(files, paths.compressed)) ??
    // It may have been decompressed between the two checks.
    openIfExists(files, paths.log);
  if (file !== undefined) return file;
  throw new RoundtableError("unknown_session", `There is no session ${sessionId}.`);
}

function openIfExists(files: FilePort, path: string): OpenFile | undefined {
  try {
    return files.openToRead(path);
  } catch (error) {
    return absent(path, error);
  }
}

async function openCompressedIfExists(files: FilePort, path: string): Promise<OpenFile | undefined> {
  try {
    return await openCompressed(files, path);
  } catch (error) {
    if (error instanceof RoundtableError) throw error;
    return absent(path, error);
  }
}

function absent(path: string, error: unknown): undefined {
  if (errorCodeOf(error) === "ENOENT") return undefined;
  throw new RoundtableError("store_unavailable", `The log ${path} cannot be read.`, { cause: error });
}

/** Result of a full check, for `doctor`. Changes nothing. */
export interface LogCheck {
  /** No damage and no torn tail. */
  readonly whole: boolean;
  readonly records: number;
  readonly lastSeq: number;
  readonly lastEpoch: number;
  readonly bytes: number;
  /** At most 1,000; `damageCount` has the total. */
  readonly damages: readonly Damage[];
  readonly damageCount: number;
  readonly tornBytes: number;
  /** The torn bytes are a complete record without its newline. */
  readonly lacksNewline: boolean;
  /** Session id in the first record, if it has one. */
  readonly ownerId: string | undefined;
}

export interface CheckLogOptions {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly files?: FilePort;
}

/** Throws `unknown_session` without a log and `version_mismatch` for another format. */
export async function checkLog({ dataDir, sessionId, files = nodeFiles }: CheckLogOptions): Promise<LogCheck> {
  const file = await openLogFile(files, sessionPaths(dataDir, sessionId), sessionId);
  try {
    const head = await findHead({ files, file });
    const tornBytes = head.size - head.end;
    return {
      whole: head.damageCount === 0 && tornBytes === 0,
      records: head.records,
      lastSeq: head.seq,
      lastEpoch: head.epoch,
      bytes: head.size,
      damages: head.damages,
      damageCount: head.damageCount,
      tornBytes,
      lacksNewline: await endsWithWholeRecord(file, head),
      ownerId: head.ownerId,
    };
  } catch (error) {
    if (error instanceof RoundtableError) throw error;
    throw new RoundtableError("store_unavailable", `The log of session ${sessionId} cannot be read.`, { cause: error });
  } finally {
    file.close();
  }
}
