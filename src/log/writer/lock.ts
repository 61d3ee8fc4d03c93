/**
 * One writer per session: a kernel lock on `logs/<id>.lock`, through SQLite because Node has no file locks. It dies
 * with its process, so it is never stale. A note beside it names the holder, so that a second process can become its
 * client.
 */
import { closeSync, fchmodSync, openSync, rmSync } from "node:fs";
import type * as Sqlite from "node:sqlite";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { systemClock, type Clock } from "../../kit/clock.ts";
import { assertOwnFile, readOwnFile } from "../../kit/files/own-file.ts";
import { RoundtableError } from "../../protocol/index.ts";
import { ensureDirectory } from "../files/directories.ts";
import { errorCodeOf, noSpaceReason } from "../../kit/files/system-error.ts";
import { FILE_MODE } from "../files/file-port.ts";
import { nodeFiles } from "../files/node-files.ts";
import { sessionPaths } from "../files/paths.ts";

export interface Holder {
  readonly pid: number;
  /** Where the holder listens for clients. */
  readonly socket: string;
  readonly hostId: string;
}

export interface Lock {
  release(): void;
}

export interface LockOptions {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly holder: Holder;
  readonly clock?: Clock;
}

const SQLITE_BUSY = 5;
/** Wait for the note of a new holder: it is synced, and a disk may be slow. */
const HOLDER_WAIT_MS = 5000;
const HOLDER_POLL_MS = 10;

export async function acquireLock(options: LockOptions): Promise<Lock | { heldBy: Holder }> {
  const { dataDir, sessionId, holder, clock = systemClock } = options;
  const paths = sessionPaths(dataDir, sessionId);
  await makeDirectory(paths.logs);
  const deadline = clock.monotonic() + HOLDER_WAIT_MS;
  for (;;) {
    const database = tryLock(paths.lock);
    if (database !== undefined) return await noteHolder(database, paths.lockHolder, holder);
    const heldBy = readHolder(paths.lockHolder);
    // Our own name is an old note beside another's lock, or a lock that we are about to release. Connecting to it would
    // make us a client of ourselves.
    const isOwn = heldBy?.hostId === holder.hostId;
    if (heldBy !== undefined && !isOwn) return { heldBy };
    if (clock.monotonic() >= deadline) throw lockedError(sessionId, paths.lock, { isOwn });
    await new Promise<void>((resolve) => clock.after(HOLDER_POLL_MS, resolve));
  }
}

async function noteHolder(database: Sqlite.DatabaseSync, notePath: string, holder: Holder): Promise<Lock> {
  try {
    // Remove the note of an earlier holder.
    rmSync(notePath, { force: true });
    await writeFileAtomic(notePath, JSON.stringify(holder), { mode: FILE_MODE });
  } catch (error) {
    database.close();
    throw lockError(`${notePath}, which says who holds the session, cannot be written`, error);
  }
  return lockOf(database, notePath);
}

function lockedError(sessionId: string, lockPath: string, { isOwn }: { isOwn: boolean }): RoundtableError {
  const message = isOwn
    ? `Session ${sessionId} is locked, and its lock names this process.`
    : `Session ${sessionId} is locked by an unknown program.`;
  const hint = isOwn
    ? `Restart this program, or find out which process uses ${lockPath}.`
    : `Close that program, or find out which process uses ${lockPath}.`;
  return new RoundtableError("locked", message, { hint });
}

/** The holder according to the note; it may be outdated, only `acquireLock` knows. */
function readHolder(path: string): Holder | undefined {
  try {
    const parsed = JSON.parse(readOwnFile(path)) as Partial<Holder>;
    const { pid, socket, hostId } = parsed;
    if (typeof pid === "number" && typeof socket === "string" && typeof hostId === "string")
      return { pid, socket, hostId };
  } catch {
    // Missing for a moment while the lock changes hands.
  }
  return undefined;
}

function lockOf(database: Sqlite.DatabaseSync, notePath: string): Lock {
  let isReleased = false;
  return {
    release() {
      if (isReleased) return;
      isReleased = true;
      try {
        // The note first: once the lock is free, a note there belongs to the next holder.
        rmSync(notePath, { force: true });
      } catch {
        // It stays on a read-only disk, or while somebody reads it. The lock must be released anyway, or the session
        // could never be opened again; the next holder replaces the note.
      } finally {
        database.close();
      }
    },
  };
}

/** Undefined when another process holds it. */
function tryLock(path: string): Sqlite.DatabaseSync | undefined {
  makeLockFile(path);
  assertOwnFile(path);
  const { DatabaseSync: Database } = loadSqlite();
  const database = new Database(path);
  try {
    // Otherwise SQLite would create a journal file beside the lock.
    database.exec("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    if ((error as { errcode?: unknown }).errcode === SQLITE_BUSY) return undefined;
    throw lockError(`The lock ${path} cannot be acquired`, error);
  }
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await ensureDirectory(nodeFiles, path);
  } catch (error) {
    throw lockError(`The directory ${path} cannot be created`, error);
  }
}

/** Created only, never opened again: closing a second handle would release a lock that this process holds. */
function makeLockFile(path: string): void {
  try {
    const fd = openSync(path, "wx", FILE_MODE);
    fchmodSync(fd, FILE_MODE);
    closeSync(fd);
  } catch (error) {
    if (errorCodeOf(error) !== "EEXIST") {
      throw lockError(`The lock ${path} cannot be created`, error);
    }
  }
}

function lockError(what: string, error: unknown): RoundtableError {
  const lack = noSpaceReason(error);
  const why = lack ?? (error instanceof Error ? error.message : String(error));
  const hint = "Free some space, or choose another directory with --data-dir or ROUNDTABLE_HOME.";
  return new RoundtableError("store_unavailable", `${what}: ${why}.`, {
    cause: error,
    ...(lack === undefined ? {} : { hint }),
  });
}

/** Loads SQLite on first use, to keep the start fast. Suppresses the ExperimentalWarning of Node 24. */
export function loadSqlite(): typeof Sqlite {
  const original = Object.getOwnPropertyDescriptor(process, "emitWarning");
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    if (original !== undefined) Object.defineProperty(process, "emitWarning", original);
  }
}
