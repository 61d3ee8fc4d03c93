/**
 * What `roundtable doctor` does when it is told to: a readable copy of a damaged session as a new one, and derived files
 * made again. No record of a log is ever changed.
 */
import { rm } from "node:fs/promises";
import { systemClock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import {
  acquireLock,
  checkLog,
  openFileLog,
  openLogReader,
  sessionPaths,
  type Holder,
  type LogCheck,
} from "../../log/index.ts";
import { toAnswerError, type Settings } from "../../protocol/index.ts";
import { summaryOf } from "../../transcript/index.ts";
import { prepareDataDir } from "../data-dir.ts";
import { partitionSessions } from "./incomplete-sessions.ts";
import { readTranscript } from "../sessions/read-session.ts";
import { readRepaired, writeRepaired } from "./repaired-file.ts";
import { removeIndexFile } from "../search/indexing/database-file.ts";
import { forkSession } from "../sessions/fork.ts";
import { recoverUnfinishedOperations } from "./unfinished-operations.ts";
import { sessionIds } from "../sessions/list.ts";
import { findOrphanFiles, removeOrphanFiles } from "./orphan-files.ts";
import { writeSummary } from "../sessions/summary-file.ts";

export interface Repaired {
  readonly sessionId: string;
  /** The new session with everything that could be read. */
  readonly copyId?: string;
  /** An earlier repair made the copy. */
  readonly isEarlier?: true;
  /** Only its end was torn: the missing newline was added, or the half record saved aside, as the next open would do. */
  readonly tail?: "completed" | "saved";
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
    repaired.push(await repairSession(dataDir, sessionId, fallback));
    onProgress?.(repaired.length, ids.length);
  }
  return repaired;
}

type Fallback = RepairOptions["fallback"];

async function repairSession(dataDir: string, sessionId: string, fallback: Fallback): Promise<Repaired> {
  try {
    const check = await checkLog({ dataDir, sessionId });
    const isOnlyTorn = check.tornBytes > 0 && check.damageCount === 0 && check.ownerId === sessionId;
    if (isOnlyTorn) return await finishTail(dataDir, sessionId, check);
    const earlier = await readRepaired(dataDir, sessionId);
    if (earlier !== undefined) return { sessionId, copyId: earlier, isEarlier: true };
    return { sessionId, copyId: await copyReadable(dataDir, sessionId, { fallback, check }) };
  } catch (error) {
    return { sessionId, problem: toAnswerError(error).message };
  }
}

async function finishTail(dataDir: string, sessionId: string, { lacksNewline }: LogCheck): Promise<Repaired> {
  const lock = await acquireLock({ dataDir, sessionId, holder: anonymousHolder() });
  if ("heldBy" in lock) return { sessionId, problem: "It is open in another process." };
  try {
    await (await openFileLog({ dataDir, sessionId })).close();
    return { sessionId, tail: lacksNewline ? "completed" : "saved" };
  } finally {
    lock.release();
  }
}

async function copyReadable(
  dataDir: string,
  sessionId: string,
  { fallback, check }: { fallback: Fallback; check: LogCheck },
): Promise<string> {
  const source = await openLogReader({ dataDir, sessionId });
  try {
    const { tornBytes } = check;
    const warning = `The last ${tornBytes} bytes of the session this was copied from are half a record and missing here.`;
    const copyId = await forkSession({
      dataDir,
      holder: anonymousHolder(),
      clock: systemClock,
      source,
      seq: source.committedSeq,
      word: "repaired",
      fallback,
      ...(tornBytes === 0 ? {} : { warning }),
    });
    await writeRepaired(dataDir, sessionId, copyId);
    return copyId;
  } finally {
    await source.close();
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
  await recoverUnfinishedOperations(dataDir, anonymousHolder());
  const { complete: ids, inUse } = await partitionSessions(dataDir, await sessionIds(dataDir));
  const skipped: string[] = [];
  for (const [index, sessionId] of ids.entries()) {
    if (!(await rebuildSession(dataDir, sessionId))) skipped.push(sessionId);
    onProgress?.(index + 1, ids.length);
  }
  const removedFiles = await findOrphanFiles(dataDir, inUse);
  await removeOrphanFiles(removedFiles);
  removeIndexFile(dataDir);
  return { sessions: ids.length - skipped.length, skipped, removedFiles };
}

async function rebuildSession(dataDir: string, sessionId: string): Promise<boolean> {
  const lock = await acquireLock({ dataDir, sessionId, holder: anonymousHolder() }).catch(() => undefined);
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
function anonymousHolder(): Holder {
  return { pid: process.pid, socket: "", hostId: newId() };
}
