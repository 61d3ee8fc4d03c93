/**
 * A new session made of a part of another. It is written aside and put in its place when it is whole, so a cut leaves
 * either all of it or nothing that anybody sees.
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
  type Holder,
  type LogReader,
} from "../../log/index.ts";
import { RoundtableError, type Settings } from "../../protocol/index.ts";
import { copyFork, createCopyClock } from "../../session/index.ts";
import { removeLockFile } from "../maintenance/lock-file.ts";
import type { LogFiles } from "./open-sessions.ts";

export interface ForkOptions {
  readonly dataDir: string;
  readonly holder: Holder;
  readonly clock: Clock;
  readonly files?: LogFiles | undefined;
  readonly source: LogReader;
  readonly seq: number;
  readonly title?: string | undefined;
  readonly originalTitle?: string | undefined;
  /** What is added to the title when none is given; "fork" when absent. */
  readonly word?: string;
  /** What could not be copied, said at its end. */
  readonly warning?: string;
  readonly fallback?: { readonly cwd: string; readonly settings: Settings };
}

/** Resolves with the id of the new session, all of it on disk. */
export async function forkSession(options: ForkOptions): Promise<string> {
  const { dataDir, holder } = options;
  const sessionId = newId();
  const lock = await acquireLock({ dataDir, sessionId, holder });
  // Nobody else knows the id.
  if ("heldBy" in lock) throw new RoundtableError("internal", `The new session ${sessionId} is held already.`);
  let isDone = false;
  try {
    await makeFork(options, sessionId);
    isDone = true;
    return sessionId;
  } catch (error) {
    await discard(options, sessionId);
    if (error instanceof RoundtableError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new RoundtableError("store_unavailable", `The session could not be copied: ${why}`, { cause: error });
  } finally {
    if (!isDone) removeLockFile(sessionPaths(dataDir, sessionId));
    lock.release();
  }
}

/** Takes no lock. Cut anywhere, there is all of the new session or none of it, once `settleLeftovers` has run. */
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
    const from = { dataDir, sessionId: source.sessionId };
    await shareBlobs({ from, to: { dataDir: directory, sessionId }, hashes: blobs, ...files });
  } finally {
    await log.close();
  }
}

async function discard({ dataDir, files }: ForkOptions, sessionId: string): Promise<void> {
  try {
    await discardStaged({ dataDir, sessionId, ...withFiles(files) });
  } catch {
    // The first fault is the one to tell; the next start of a host removes what is left.
  }
}

function withFiles(files: LogFiles | undefined): { files?: LogFiles } {
  return files === undefined ? {} : { files };
}
