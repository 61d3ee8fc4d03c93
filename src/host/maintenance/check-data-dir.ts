/**
 * The read-only check behind `roundtable doctor`: every byte of every log, whether it folds, whether the derived files
 * fit, and what dead processes left behind. Takes no lock and changes nothing.
 */
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { findOrphans } from "../../agents/index.ts";
import { sessionPaths, trashedIds, trashDirectory } from "../../log/index.ts";
import { toAnswerError } from "../../protocol/index.ts";
import { checkSession, type SessionReport } from "./check-session.ts";
import { sessionsDir } from "../data-dir.ts";
import { findDeadHosts, holderOf } from "./host-records.ts";
import { partitionSessions } from "./incomplete-sessions.ts";
import { findUnfinishedOperations } from "./unfinished-operations.ts";
import { sessionIds } from "../sessions/list.ts";
import { findOrphanFiles } from "./orphan-files.ts";

/** Others may not even look: what is said here is private. */
const OTHERS_MODE_BITS = 0o077;
/** A log that is put away and larger than this is worth compressing. */
const COMPRESSIBLE_BYTES_MIN = 1024 * 1024;

export interface OrphanReport {
  readonly pid: number;
  readonly member: string;
  readonly sinceTs: number;
  readonly hostPid: number;
}

export interface DataDirReport {
  readonly dataDir: string;
  /** Every session whole, or with a readable copy beside it, and no problem with the directory itself. Leftovers of dead processes do no harm. */
  readonly isWhole: boolean;
  readonly sessions: readonly SessionReport[];
  /** Notes of processes that died holding a lock; the lock itself died with them. */
  readonly staleLocks: readonly string[];
  readonly staleSockets: readonly string[];
  /** Processes that dead hosts left running; the next host ends them. */
  readonly strays: readonly OrphanReport[];
  /** Deleted sessions that can be brought back, and what is wrong with them. */
  readonly trashed: readonly SessionReport[];
  /** Copies, deletions and restorings that were cut, or are under way; the next run finishes or removes them. */
  readonly halfDone: readonly string[];
  /** Files that belong to no session and no run: they do no harm, and `doctor --rebuild` removes them. */
  readonly strayFiles: readonly string[];
  /** Archived sessions whose logs could be compressed. */
  readonly compressible: readonly string[];
  readonly problems: readonly string[];
}

export interface CheckOptions {
  /** Told after each session. */
  readonly onProgress?: (done: number, of: number) => void;
}

export async function checkDataDir(dataDir: string, { onProgress }: CheckOptions = {}): Promise<DataDirReport> {
  const all = await sessionIds(dataDir);
  const { complete: ids, inUse } = await partitionSessions(dataDir, all);
  const deleted = trashedIds(dataDir);
  const sessions: SessionReport[] = [];
  const trashed: SessionReport[] = [];
  const staleLocks: string[] = [];
  const reportProgress = () => onProgress?.(sessions.length + trashed.length, ids.length + deleted.length);
  for (const sessionId of ids) {
    const holder = await holderOf(dataDir, sessionId);
    if (holder === "dead") staleLocks.push(sessionPaths(dataDir, sessionId).lockHolder);
    sessions.push(await checkSession(dataDir, sessionId, holder === "living"));
    reportProgress();
  }
  for (const sessionId of deleted) {
    trashed.push(await checkSession(trashDirectory(dataDir, sessionId), sessionId, false));
    reportProgress();
  }
  const staleSockets = (await findDeadHosts(dataDir)).flatMap(({ files }) => files);
  const processes = await checkProcesses(dataDir);
  const problems = [
    ...(await checkModes(dataDir)),
    ...(await checkOrphanSummaries(dataDir, all)),
    ...(processes.problem === undefined ? [] : [processes.problem]),
  ];
  const { forks, moves } = findUnfinishedOperations(dataDir);
  return {
    dataDir,
    isWhole:
      problems.length === 0 && [...sessions, ...trashed].every((one) => one.isWhole || one.repairedAs !== undefined),
    sessions,
    staleLocks,
    staleSockets,
    strays: processes.orphans,
    trashed,
    halfDone: [...forks, ...moves],
    strayFiles: await findOrphanFiles(dataDir, inUse),
    compressible: sessions.filter(isCompressible).map(({ sessionId }) => sessionId),
    problems,
  };
}

function isCompressible({ isArchived, isCompressed, isHeld, bytes }: SessionReport): boolean {
  return isArchived && !isCompressed && !isHeld && bytes >= COMPRESSIBLE_BYTES_MIN;
}

async function checkModes(dataDir: string): Promise<string[]> {
  if (process.platform === "win32") return [];
  const problems: string[] = [];
  for (const name of ["logs", "sessions", "blobs", "run", "trash", "forks"]) {
    const directory = path.join(dataDir, name);
    const mode = (await stat(directory).catch(() => undefined))?.mode ?? 0;
    if ((mode & OTHERS_MODE_BITS) !== 0) {
      problems.push(`Others can look into ${directory} (mode ${(mode & 0o777).toString(8)}); chmod 700 it.`);
    }
  }
  return problems;
}

/** Summaries whose log is gone: somebody removed a session by hand, and not all of it. */
async function checkOrphanSummaries(dataDir: string, ids: readonly string[]): Promise<string[]> {
  const known = new Set(ids);
  const names = await readdir(sessionsDir(dataDir)).catch(() => []);
  return names
    .filter((name) => name.endsWith(".meta.json") && !known.has(name.slice(0, -".meta.json".length)))
    .map((name) => `${path.join(sessionsDir(dataDir), name)} belongs to no log.`);
}

/** The command lines of strays stay out: an agent's tools put all kinds of things there. */
async function checkProcesses(dataDir: string): Promise<{ orphans: OrphanReport[]; problem?: string }> {
  try {
    const orphans = await findOrphans(dataDir);
    return { orphans: orphans.map(({ pid, member, sinceTs, hostPid }) => ({ pid, member, sinceTs, hostPid })) };
  } catch (error) {
    return {
      orphans: [],
      problem: `The processes of this machine could not be looked at: ${toAnswerError(error).message}`,
    };
  }
}
