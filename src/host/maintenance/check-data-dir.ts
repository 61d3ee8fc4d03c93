/**
 * Read-only check behind `roundtable doctor`: every byte of every log, whether it folds, file modes, and leftovers of
 * dead processes. Takes no lock and changes nothing.
 */
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { findOrphans } from "../../agents/index.ts";
import {
  checkLog,
  isCompressedWhole,
  isOnlyCompressed,
  type LogCheck,
  sessionPaths,
  trashDirectory,
  trashedIds,
} from "../../log/index.ts";
import { toAnswerError } from "../../protocol/index.ts";
import { sessionsDir } from "../data-dir.ts";
import { listSessionIds } from "../sessions/log-files.ts";
import { readTranscript } from "../sessions/read-session.ts";
import { findDeadHosts, holderOf } from "./host-records.ts";
import { partitionSessions } from "./incomplete-sessions.ts";
import { readRepaired } from "./repair-data-dir.ts";
import { findOrphanFiles, findUnfinishedOperations } from "./startup-recovery.ts";

/** No access for other users: conversations are private. */
const OTHERS_MODE_BITS = 0o077;
/** An archived log of this size is worth compressing. */
const COMPRESSIBLE_BYTES_MIN = 1024 * 1024;

export interface OrphanReport {
  readonly pid: number;
  readonly member: string;
  readonly sinceTs: number;
  readonly hostPid: number;
}

export interface DataDirReport {
  readonly dataDir: string;
  /**
   * Every session is intact or has a repaired copy, and the directory has no problem. Leftovers of dead processes are
   * harmless.
   */
  readonly isWhole: boolean;
  readonly sessions: readonly SessionReport[];
  /** Holder notes of dead processes; their locks are already released. */
  readonly staleLocks: readonly string[];
  readonly staleSockets: readonly string[];
  /** Orphaned processes of dead hosts; the next host ends them. */
  readonly strays: readonly OrphanReport[];
  /** Deleted sessions that can be restored, with their problems. */
  readonly trashed: readonly SessionReport[];
  /** Interrupted or running copies, deletions and restores; the next start finishes or removes them. */
  readonly halfDone: readonly string[];
  /** Files that belong to no session: harmless, removed by `doctor --rebuild`. */
  readonly strayFiles: readonly string[];
  /** Archived sessions with uncompressed logs. */
  readonly compressible: readonly string[];
  readonly problems: readonly string[];
}

export interface CheckOptions {
  /** Called after each session. */
  readonly onProgress?: (done: number, of: number) => void;
}

export async function checkDataDir(dataDir: string, { onProgress }: CheckOptions = {}): Promise<DataDirReport> {
  const all = listSessionIds(dataDir);
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
      problems.push(
        `${directory} is accessible to other users (mode ${(mode & 0o777).toString(8)}). Run: chmod 700 ${directory}`,
      );
    }
  }
  return problems;
}

/** Summaries without a log: a session was deleted by hand, but not all of its files. */
async function checkOrphanSummaries(dataDir: string, ids: readonly string[]): Promise<string[]> {
  const known = new Set(ids);
  const names = await readdir(sessionsDir(dataDir)).catch(() => []);
  return names
    .filter((name) => name.endsWith(".meta.json") && !known.has(name.slice(0, -".meta.json".length)))
    .map((name) => `${path.join(sessionsDir(dataDir), name)} belongs to no log.`);
}

/** Without command lines of the orphans: they may contain secrets. */
async function checkProcesses(dataDir: string): Promise<{ orphans: OrphanReport[]; problem?: string }> {
  try {
    const orphans = await findOrphans(dataDir);
    return { orphans: orphans.map(({ pid, member, sinceTs, hostPid }) => ({ pid, member, sinceTs, hostPid })) };
  } catch (error) {
    return {
      orphans: [],
      problem: `Cannot list the processes of this machine: ${toAnswerError(error).message}`,
    };
  }
}

/** Further damage is counted, not listed. */
const PROBLEMS_LISTED_MAX = 20;

interface SessionReport {
  readonly sessionId: string;
  readonly isWhole: boolean;
  readonly events: number;
  readonly seq: number;
  readonly bytes: number;
  /** A process has it open; a torn tail may be a record that is being written. */
  readonly isHeld: boolean;
  readonly isArchived: boolean;
  readonly isCompressed: boolean;
  /** Readable copy of a damaged session, made by a repair. */
  readonly repairedAs?: string;
  /** One sentence each. */
  readonly problems: readonly string[];
}

async function checkSession(dataDir: string, sessionId: string, isHeld: boolean): Promise<SessionReport> {
  const isCompressed = isOnlyCompressed(dataDir, sessionId);
  try {
    const check = await checkLog({ dataDir, sessionId });
    const problems = describeCheck(check, { sessionId, isHeld });
    if (isCompressed && !(await isCompressedWhole({ dataDir, sessionId }))) {
      problems.push("The compressed log does not decompress to the original bytes.");
    }
    const { head } = await readTranscript(dataDir, sessionId);
    if (head.createdTs === 0) problems.push("The log does not start with session_created.");
    const { records: events, lastSeq: seq, bytes } = check;
    const facts = { events, seq, bytes, isHeld, isArchived: head.archived, isCompressed };
    const isWhole = problems.length === 0;
    const repairedAs = isWhole ? undefined : await readRepaired(dataDir, sessionId);
    return { sessionId, isWhole, ...facts, ...(repairedAs === undefined ? {} : { repairedAs }), problems };
  } catch (error) {
    const problems = [toAnswerError(error).message];
    const facts = { events: 0, seq: 0, bytes: 0, isHeld, isArchived: false, isCompressed };
    return { sessionId, isWhole: false, ...facts, problems };
  }
}

function describeCheck(check: LogCheck, { sessionId, isHeld }: { sessionId: string; isHeld: boolean }): string[] {
  const listed = check.damages.slice(0, PROBLEMS_LISTED_MAX);
  const problems = listed.map(({ what, offset, bytes, fromSeq, toSeq }) => {
    const missing = fromSeq <= toSeq ? `; events ${fromSeq} to ${toSeq} are missing` : "";
    return `Damage at byte ${offset}, ${bytes} bytes: ${what}${missing}.`;
  });
  if (check.damageCount > listed.length) {
    problems.push(`${check.damageCount - listed.length} more damaged ranges.`);
  }
  if (check.ownerId !== undefined && check.ownerId !== sessionId) {
    problems.push(`The log belongs to session ${check.ownerId}; it was copied or renamed by hand.`);
  }
  if (check.lacksNewline && !isHeld) {
    problems.push("The last record has no newline; the next open for writing adds it.");
  } else if (check.tornBytes > 0 && !isHeld) {
    problems.push(
      `The last ${check.tornBytes} bytes are an incomplete record; the next open for writing moves them aside.`,
    );
  }
  return problems;
}
