/**
 * Recovery when a host starts: finishes or removes interrupted copies, deletions and restores, each under the lock of
 * its session so that running operations of other processes are left alone, and ends orphaned processes of dead hosts.
 * Also finds orphaned files, which only `doctor --rebuild` removes.
 */
import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { isUlid } from "../../kit/ids.ts";
import type { Agents, Orphan } from "../../agents/index.ts";
import type { Clock } from "../../kit/clock.ts";
import {
  acquireLock,
  discardStaged,
  hasSession,
  type Holder,
  removeGone,
  sessionPaths,
  settleTrash,
  stagedIds,
  unsettledTrash,
} from "../../log/index.ts";
import { removeLockFile } from "../data-dir.ts";

export interface UnfinishedOperations {
  /** Sessions with an unfinished copy. */
  readonly forks: readonly string[];
  /** Sessions that are being moved into or out of the trash. */
  readonly moves: readonly string[];
}

/** Changes nothing; includes operations that other processes are running now. */
export function findUnfinishedOperations(dataDir: string): UnfinishedOperations {
  return { forks: stagedIds(dataDir), moves: unsettledTrash(dataDir) };
}

export async function recoverUnfinishedOperations(dataDir: string, holder: Holder): Promise<void> {
  removeGone(dataDir);
  const { forks, moves } = findUnfinishedOperations(dataDir);
  for (const sessionId of forks) {
    await underLock({ dataDir, sessionId, holder }, () => discardStaged({ dataDir, sessionId }));
  }
  for (const sessionId of moves) {
    await underLock({ dataDir, sessionId, holder }, () => settleTrash({ dataDir, sessionId }));
  }
}

/** Never rejects: a failed recovery must not keep the host from starting; the next start tries again. */
export async function recoverOrWarn(
  dataDir: string,
  holder: Holder,
  warn: (sentence: string) => void = () => {},
): Promise<void> {
  try {
    await recoverUnfinishedOperations(dataDir, holder);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    warn(`interrupted operations of an earlier run could not be finished: ${reason}`);
  }
}

interface LockTarget {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly holder: Holder;
}

async function underLock(target: LockTarget, work: () => Promise<void>): Promise<void> {
  const lock = await acquireLock(target);
  if ("heldBy" in lock) return;
  try {
    await work();
    if (!hasSession(target.dataDir, target.sessionId)) removeLockFile(sessionPaths(target.dataDir, target.sessionId));
  } finally {
    lock.release();
  }
}

/** Listing all processes takes a few milliseconds, which must not delay the first answer. */
const SWEEP_AFTER_MS = 500;
const CLOSE_WAIT_MS = 1_500;

interface OrphanSweep {
  close(): Promise<void>;
}

interface OrphanSweepDeps {
  endOrphans: Agents["endOrphans"];
  warn: (sentence: string) => void;
  clock: Clock;
}

/**
 * Ends orphaned processes once, in the background. `close` still runs it, but waits only for a limited time; an error
 * is a warning.
 */
export function startOrphanSweep({ endOrphans, warn, clock }: OrphanSweepDeps): OrphanSweep {
  let sweep: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    cancel();
    return (sweep ??= sweepOnce(endOrphans, warn));
  };
  const cancel = clock.after(SWEEP_AFTER_MS, () => void begin());
  return {
    async close() {
      const late = Promise.withResolvers<void>();
      const stopWaiting = clock.after(CLOSE_WAIT_MS, () => late.resolve());
      await Promise.race([begin(), late.promise]);
      stopWaiting();
    },
  };
}

async function sweepOnce(endOrphans: Agents["endOrphans"], warn: (sentence: string) => void): Promise<void> {
  try {
    const { left } = await endOrphans();
    if (left.length > 0) warn(`${describe(left)} of an earlier run could not be ended; see roundtable doctor`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    warn(`orphaned processes of an earlier run could not be listed: ${why}`);
  }
}

function describe(orphans: readonly Orphan[]): string {
  const pids = orphans.map((orphan) => orphan.pid).join(", ");
  return orphans.length === 1 ? `process ${pids}` : `processes ${pids}`;
}

/** Younger files may still be in use. */
const GRACE_MS = 60_000;
const FILES_LISTED_MAX = 1_000;
const ID_LENGTH = 26;

/**
 * Files of interrupted writes and deleted sessions, at most a thousand. Never lock files: removing one in use would
 * allow two writers.
 */
export async function findOrphanFiles(dataDir: string, ids: readonly string[], now = Date.now()): Promise<string[]> {
  const known = new Set(ids);
  const logs = path.join(dataDir, "logs");
  const candidates = [
    ...(await namesIn(logs)).filter((name) => isOrphan(name, known)).map((name) => path.join(logs, name)),
    ...(await namesIn(path.join(dataDir, "sessions")))
      .filter((name) => name.endsWith(".tmp"))
      .map((name) => path.join(dataDir, "sessions", name)),
    ...(await namesIn(path.join(dataDir, "blobs")))
      .filter((name) => isUlid(name) && !known.has(name))
      .map((name) => path.join(dataDir, "blobs", name)),
  ];
  const old: string[] = [];
  for (const file of candidates.slice(0, FILES_LISTED_MAX)) if (await isOld(file, now)) old.push(file);
  return old;
}

export async function removeOrphanFiles(files: readonly string[]): Promise<void> {
  for (const file of files) await rm(file, { recursive: true, force: true });
}

/** Torn tails of existing sessions are kept for inspection. */
function isOrphan(name: string, known: ReadonlySet<string>): boolean {
  const sessionId = name.slice(0, ID_LENGTH);
  if (!isUlid(sessionId)) return false;
  const rest = name.slice(ID_LENGTH);
  if (rest.startsWith(".lock")) return false;
  return rest.endsWith(".tmp") || !known.has(sessionId);
}

async function isOld(file: string, now: number): Promise<boolean> {
  const stats = await stat(file).catch(() => undefined);
  return stats !== undefined && now - stats.mtimeMs > GRACE_MS;
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}
