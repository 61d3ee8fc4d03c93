/**
 * Copies part of a session into a new one. Written to a staging directory and published when complete: a crash leaves
 * all or nothing.
 */
import type { Clock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import {
  acquireLock,
  discardStaged,
  openFileLog,
  publishStaged,
  sessionPaths,
  shareBlobs,
  stagingDirectory,
  type EventLog,
  type Holder,
  type LogReader,
} from "../../log/index.ts";
import { RoundtableError, type Settings } from "../../protocol/index.ts";
import { copyFork, createCopyClock } from "../../session/index.ts";
import { removeLockFile } from "../data-dir.ts";
import type { LogFiles } from "./log-files.ts";

export interface ForkOptions {
  readonly dataDir: string;
  readonly holder: Holder;
  readonly clock: Clock;
  readonly files?: LogFiles | undefined;
  readonly source: Pick<LogReader, "sessionId" | "read">;
  readonly seq: number;
  readonly title?: string | undefined;
  readonly originalTitle?: string | undefined;
  /** Suffix of the title when none is given; "fork" by default. */
  readonly word?: string;
  /** Appended to the new session: what could not be copied. */
  readonly warning?: string;
  readonly fallback?: { readonly cwd: string; readonly settings: Settings };
  /** For a source that is not of this data directory; undefined for a blob that is lost there too. */
  readonly fetchBlob?: (sha256: string) => Promise<Uint8Array | undefined>;
}

/** Resolves with the id of the new session when it is on disk. */
export async function forkSession(options: ForkOptions): Promise<string> {
  const { dataDir, holder } = options;
  const sessionId = newId();
  const lock = await acquireLock({ dataDir, sessionId, holder });
  // The id is new, so no other process can hold it.
  if ("heldBy" in lock) throw new RoundtableError("internal", `The new session ${sessionId} is already locked.`);
  let isDone = false;
  try {
    await makeFork(options, sessionId);
    isDone = true;
    return sessionId;
  } catch (error) {
    await discard(options, sessionId);
    if (error instanceof RoundtableError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new RoundtableError("store_unavailable", `Cannot copy the session: ${why}`, { cause: error });
  } finally {
    if (!isDone) removeLockFile(sessionPaths(dataDir, sessionId));
    lock.release();
  }
}

/** Takes no lock. After a crash, `recoverUnfinishedOperations` leaves all of the new session or none of it. */
export async function makeFork(options: Omit<ForkOptions, "holder">, sessionId: string): Promise<void> {
  await writeAside(options, sessionId);
  await publishStaged({ dataDir: options.dataDir, sessionId, ...withFiles(options.files) });
}

async function writeAside(options: Omit<ForkOptions, "holder">, sessionId: string): Promise<void> {
  const { dataDir, source, seq, title, originalTitle, word, warning, fallback } = options;
  const directory = stagingDirectory(dataDir, sessionId);
  const clock = createCopyClock(options.clock);
  const files = withFiles(options.files);
  const log = await openFileLog({ dataDir: directory, sessionId, clock, ...files });
  try {
    const { blobs } = await copyFork({
      source,
      seq,
      log,
      clock,
      title,
      originalTitle,
      ...(word === undefined ? {} : { word }),
      ...(warning === undefined ? {} : { warning }),
      ...(fallback === undefined ? {} : { fallback }),
    });
    if (options.fetchBlob !== undefined) return await copyBlobs(log, blobs, options.fetchBlob);
    const from = { dataDir, sessionId: source.sessionId };
    await shareBlobs({ from, to: { dataDir: directory, sessionId }, hashes: blobs, ...files });
  } finally {
    await log.close();
  }
}

async function copyBlobs(
  log: EventLog,
  hashes: Iterable<string>,
  fetchBlob: NonNullable<ForkOptions["fetchBlob"]>,
): Promise<void> {
  for (const sha256 of hashes) {
    const bytes = await fetchBlob(sha256);
    if (bytes !== undefined) await log.blobs.put(bytes);
  }
}

async function discard({ dataDir, files }: ForkOptions, sessionId: string): Promise<void> {
  try {
    await discardStaged({ dataDir, sessionId, ...withFiles(files) });
  } catch {
    // The first error is the one to report; the next start of a host removes the rest.
  }
}

function withFiles(files: LogFiles | undefined): { files?: LogFiles } {
  return files === undefined ? {} : { files };
}
