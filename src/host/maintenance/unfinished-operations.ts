/**
 * What a cut left of copying, deleting and restoring: finished or cleared away when a host starts. Each under the lock of
 * its session, so that nothing is taken from a process that is just doing it.
 */
import {
  acquireLock,
  discardStaged,
  hasSession,
  removeGone,
  sessionPaths,
  settleTrash,
  stagedIds,
  unsettledTrash,
  type Holder,
} from "../../log/index.ts";
import { removeLockFile } from "./lock-file.ts";

export interface UnfinishedOperations {
  /** Sessions whose copy was never finished. */
  readonly forks: readonly string[];
  /** Sessions on their way into the trash or out of it. */
  readonly moves: readonly string[];
}

/** Looks only; what a living process is doing right now is among it. */
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

/** A host starts whatever is left: what cannot be finished is told, and tried again by the next one. */
export async function recoverOrWarn(
  dataDir: string,
  holder: Holder,
  warn: (sentence: string) => void = () => {},
): Promise<void> {
  try {
    await recoverUnfinishedOperations(dataDir, holder);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    warn(`what an earlier run left half done could not be finished: ${reason}`);
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
