/**
 * A log opened only to read: takes no lock and sees what was in the file when it was opened. It writes nothing at all, unless
 * it was opened to save a snapshot; whoever saves one holds `acquireLock` meanwhile.
 */
import { RoundtableError, type SessionEvent } from "../../protocol/index.ts";
import { createBlobs } from "../files/blobs.ts";
import { ensureDirectory } from "../files/directories.ts";
import type { LogReader } from "../event-log.ts";
import { readEpoch } from "../writer/epoch.ts";
import type { FilePort } from "../files/file-port.ts";
import { findHead, indexFileOf, saveIndex, type FindHeadOptions, type LogHead } from "./head.ts";
import { knowsCursor } from "./knows-cursor.ts";
import { nodeFiles } from "../files/node-files.ts";
import { openLogFile } from "./open-log-file.ts";
import { sessionPaths, type SessionPaths } from "../files/paths.ts";
import { OffsetIndex } from "./offset-index.ts";
import { EventCollector, readEvents, type EventSource } from "./read-events.ts";
import { createSnapshots } from "../files/snapshots.ts";

export interface OpenReaderOptions {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly files?: FilePort;
  /** Snapshots may be saved, with the index of the log beside them. */
  readonly maySave?: boolean;
  /** Called with all events of the log, where its end could not be found without reading them. */
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

/** What a dead writer left is on disk before anything says that it is there. */
async function prepareToSave(files: FilePort, paths: SessionPaths): Promise<void> {
  const file = files.openToAppend(paths.log);
  try {
    await file.datasync();
  } finally {
    file.close();
  }
  await ensureDirectory(files, paths.snapshots);
}
