/**
 * What `roundtable doctor` does when it is told to: a readable copy of a damaged session as a new one, and derived files
 * made again. No log is ever changed.
 */
import { rm } from "node:fs/promises";
import { systemClock } from "../kit/clock.ts";
import { newId } from "../kit/ids.ts";
import { acquireLock, openLogReader, sessionPaths, type Holder } from "../log/index.ts";
import { toAnswerError, type Settings } from "../protocol/index.ts";
import { summaryOf } from "../transcript/index.ts";
import { prepareDataDir } from "./data-dir.ts";
import { partHalfMade } from "./half-made.ts";
import { readTranscript } from "./read-session.ts";
import { removeIndexFile } from "./search/index-file.ts";
import { forkSession } from "./session-fork.ts";
import { settleLeftovers } from "./session-leftovers.ts";
import { sessionIds } from "./session-list.ts";
import { findStrayFiles, removeStrayFiles } from "./stray-files.ts";
import { writeSummary } from "./summary-file.ts";

export interface Repaired {
  readonly sessionId: string;
  /** The new session with everything that could be read. */
  readonly copyId?: string;
  /** Why there is none. */
  readonly problem?: string;
}

export interface RepairOptions {
  readonly dataDir: string;
  readonly sessionIds: readonly string[];
  /** For a session whose beginning is lost. */
  readonly fallback: { readonly cwd: string; readonly settings: Settings };
  readonly onProgress?: (done: number, of: number) => void;
}

export async function repairCopies(options: RepairOptions): Promise<Repaired[]> {
  const { dataDir, sessionIds: ids, fallback, onProgress } = options;
  const repaired: Repaired[] = [];
  for (const sessionId of ids) {
    repaired.push(await repairCopy(dataDir, sessionId, fallback));
    onProgress?.(repaired.length, ids.length);
  }
  return repaired;
}

async function repairCopy(dataDir: string, sessionId: string, fallback: RepairOptions["fallback"]): Promise<Repaired> {
  try {
    const source = await openLogReader({ dataDir, sessionId });
    try {
      const seq = source.committedSeq;
      const parts = { dataDir, holder: nobody(), clock: systemClock, source, seq, word: "repaired", fallback };
      return { sessionId, copyId: await forkSession(parts) };
    } finally {
      await source.close();
    }
  } catch (error) {
    return { sessionId, problem: toAnswerError(error).message };
  }
}

export interface Rebuilt {
  readonly sessions: number;
  /** Held by a living process, or unreadable: nothing was done to them. */
  readonly skipped: readonly string[];
  readonly removedFiles: readonly string[];
}

/** Snapshots are made again when a session is next open, the search index when something is next looked for. */
export async function rebuildDerived(
  dataDir: string,
  onProgress?: (done: number, of: number) => void,
): Promise<Rebuilt> {
  await prepareDataDir(dataDir);
  await settleLeftovers(dataDir, nobody());
  const { made: ids, kept } = await partHalfMade(dataDir, await sessionIds(dataDir));
  const skipped: string[] = [];
  for (const [index, sessionId] of ids.entries()) {
    if (!(await rebuildSession(dataDir, sessionId))) skipped.push(sessionId);
    onProgress?.(index + 1, ids.length);
  }
  const removedFiles = await findStrayFiles(dataDir, kept);
  await removeStrayFiles(removedFiles);
  removeIndexFile(dataDir);
  return { sessions: ids.length - skipped.length, skipped, removedFiles };
}

async function rebuildSession(dataDir: string, sessionId: string): Promise<boolean> {
  const lock = await acquireLock({ dataDir, sessionId, holder: nobody() }).catch(() => undefined);
  if (lock === undefined || "heldBy" in lock) return false;
  try {
    const { snapshots, meta } = sessionPaths(dataDir, sessionId);
    await rm(snapshots, { recursive: true, force: true });
    await rm(meta, { force: true });
    await writeSummary(dataDir, sessionId, summaryOf(await readTranscript(dataDir, sessionId)));
    return true;
  } catch {
    // Unreadable: the check has said so, and a listing says it again.
    return false;
  } finally {
    lock.release();
  }
}

/** Holds a lock for a moment and serves nobody. */
function nobody(): Holder {
  return { pid: process.pid, socket: "", hostId: newId() };
}
