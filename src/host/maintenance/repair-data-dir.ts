/**
 * Repairs of `roundtable doctor`: copies the readable part of a damaged session into a new one, and rebuilds derived
 * files. Never changes a record of a log.
 */
import { rm } from "node:fs/promises";
import * as z from "zod";
import { systemClock } from "../../kit/clock.ts";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { readOwnFile } from "../../kit/files/own-file.ts";
import { newId } from "../../kit/ids.ts";
import {
  acquireLock,
  checkLog,
  hasSession,
  type Holder,
  type LogCheck,
  openFileLog,
  openLogReader,
  sessionPaths,
} from "../../log/index.ts";
import { type Settings, toAnswerError } from "../../protocol/index.ts";
import { summaryOf } from "../../transcript/index.ts";
import { prepareDataDir } from "../data-dir.ts";
import { removeIndexFile } from "../search/indexing/database-file.ts";
import { forkSession } from "../sessions/fork.ts";
import { listSessionIds } from "../sessions/log-files.ts";
import { readTranscript } from "../sessions/read-session.ts";
import { logBytesOf, writeSummary } from "../sessions/summary-file.ts";
import { partitionSessions } from "./incomplete-sessions.ts";
import { findOrphanFiles, recoverUnfinishedOperations, removeOrphanFiles } from "./startup-recovery.ts";

export interface Repaired {
  readonly sessionId: string;
  /** The new session with everything readable. */
  readonly copyId?: string;
  /** An earlier repair made the copy. */
  readonly isEarlier?: true;
  /** Only its tail was torn: the newline was added, or the incomplete record moved aside, as the next open would do. */
  readonly tail?: "completed" | "saved";
  /** Why the repair failed. */
  readonly problem?: string;
}

export interface RepairOptions {
  readonly dataDir: string;
  readonly sessionIds: readonly string[];
  /** For a session whose first event is lost. */
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
  if ("heldBy" in lock) return { sessionId, problem: "It is open in another process. Close it there and try again." };
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
    const warning = `The last ${tornBytes} bytes of the original session are an incomplete record and missing here.`;
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
  /** Unchanged: in use by another process, or unreadable. */
  readonly skipped: readonly string[];
  readonly removedFiles: readonly string[];
}

/** Snapshots are recreated at the next open of a session, the search index at the next search. */
export async function rebuildDerived(
  dataDir: string,
  onProgress?: (done: number, of: number) => void,
): Promise<Rebuilt> {
  await prepareDataDir(dataDir);
  await recoverUnfinishedOperations(dataDir, anonymousHolder());
  const { complete: ids, inUse } = await partitionSessions(dataDir, listSessionIds(dataDir));
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
    // Unreadable: reported by the check and by the list.
    return false;
  } finally {
    lock.release();
  }
}

/** Holds a lock briefly, without a socket. */
function anonymousHolder(): Holder {
  return { pid: process.pid, socket: "", hostId: newId() };
}

const RepairedFile = z.object({ format: z.literal(1), logBytes: z.int().nonnegative(), copyId: z.string() });

async function writeRepaired(dataDir: string, sessionId: string, copyId: string): Promise<void> {
  const logBytes = await logBytesOf(dataDir, sessionId);
  await writeFileAtomic(fileOf(dataDir, sessionId), `${JSON.stringify({ format: 1, logBytes, copyId })}\n`);
}

/** Id of the repaired copy; undefined when it was deleted or the log has changed since. Prevents a second copy. */
export async function readRepaired(dataDir: string, sessionId: string): Promise<string | undefined> {
  try {
    const { logBytes, copyId } = RepairedFile.parse(JSON.parse(readOwnFile(fileOf(dataDir, sessionId))));
    return hasSession(dataDir, copyId) && logBytes === (await logBytesOf(dataDir, sessionId)) ? copyId : undefined;
  } catch {
    // Absent or unreadable: treated as no copy.
    return undefined;
  }
}

function fileOf(dataDir: string, sessionId: string): string {
  const { log } = sessionPaths(dataDir, sessionId);
  return log.replace(/\.jsonl$/, ".repaired.json");
}
