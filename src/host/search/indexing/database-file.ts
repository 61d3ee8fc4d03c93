/**
 * The database file of the index: created when absent, recreated when damaged or of an older version. Several processes
 * may have it open; each reopens it when the path points to another file.
 */
import { chmodSync, closeSync, linkSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import type * as Sqlite from "node:sqlite";
import { assertOwnFile } from "../../../kit/files/own-file.ts";
import { newId } from "../../../kit/ids.ts";
import { loadSqlite } from "../../../log/index.ts";
import { RoundtableError } from "../../../protocol/index.ts";
import { FILE_MODE } from "../../data-dir.ts";
import { makeTables, SCHEMA_VERSION, versionOf } from "./schema.ts";

/** Other processes write briefly; a longer timeout would only hide a bug. */
const BUSY_TIMEOUT_MS = 5_000;
/** Page cache; the system's file cache holds the rest. */
const CACHE_KIB = 8 * 1024;
const WAL_BYTES_MAX = 16 * 1024 * 1024;
const OPEN_TRIES_MAX = 3;
/** Creating an empty index never takes this long: an older temporary file is abandoned. */
const UNFINISHED_MS = 60_000;

export interface IndexFile {
  readonly database: Sqlite.DatabaseSync;
  /** False when the path points to another file by now, or to none. */
  isCurrent(): boolean;
  close(): void;
}

export function indexPath(dataDir: string): string {
  return path.join(dataDir, "index.sqlite");
}

export function openIndexFile(dataDir: string): IndexFile {
  const file = indexPath(dataDir);
  try {
    for (let tries = 1; ; tries += 1) {
      const opened = tryOpen(dataDir, file, { isLast: tries === OPEN_TRIES_MAX });
      if (opened !== undefined) return opened;
    }
  } catch (error) {
    if (error instanceof RoundtableError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new RoundtableError("store_unavailable", `The search index ${file} cannot be opened: ${reason}`, {
      hint: "Check that the data directory is writable and its disk has free space.",
      cause: error,
    });
  }
}

/** Undefined when the file was damaged or outdated and has been removed. */
function tryOpen(dataDir: string, file: string, { isLast }: { isLast: boolean }): IndexFile | undefined {
  try {
    if (inodeOf(file) === undefined) makeIndexFile(file);
    return openExisting(file);
  } catch (error) {
    if (isLast || !isStoreError(error) || isBusy(error)) throw error;
    removeIndexFile(dataDir);
    return undefined;
  }
}

/** The index is rebuilt from the logs. Other processes keep their open file until they check `isCurrent`. */
export function removeIndexFile(dataDir: string): void {
  const file = indexPath(dataDir);
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
}

class OldIndexError extends Error {
  /** SQLITE_NOTADB, so that the file is treated as damaged and recreated. */
  readonly errcode = 26;
}

function openExisting(file: string): IndexFile {
  for (const suffix of ["", "-wal", "-shm"]) assertOwnFile(file + suffix);
  const inode = inodeOf(file);
  const { DatabaseSync: Database } = loadSqlite();
  const database = new Database(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    const version = versionOf(database);
    if (version > SCHEMA_VERSION) {
      throw new RoundtableError(
        "version_mismatch",
        `The search index ${file} was made by a newer version of Roundtable.`,
        {
          hint: "Search with that version, or delete the file to have it rebuilt.",
        },
      );
    }
    if (version < SCHEMA_VERSION) throw new OldIndexError("an index of an older version");
    database.exec(
      `PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${CACHE_KIB}; PRAGMA journal_size_limit = ${WAL_BYTES_MAX};
       PRAGMA temp_store = MEMORY; SELECT count(*) FROM session; SELECT rowid FROM word LIMIT 1;`,
    );
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    database,
    isCurrent: () => inodeOf(file) === inode,
    close: () => database.close(),
  };
}

/** Written under a temporary name, so that no process opens an incomplete index. */
function makeIndexFile(file: string): void {
  sweepUnfinished(file);
  const made = `${file}.${newId()}.tmp`;
  closeSync(openSync(made, "wx", FILE_MODE));
  try {
    chmodSync(made, FILE_MODE);
    const { DatabaseSync: Database } = loadSqlite();
    const database = new Database(made);
    makeTables(database);
    database.close();
    // The journal of a deleted index would be applied to this one.
    for (const suffix of ["-wal", "-shm"]) rmSync(file + suffix, { force: true });
    giveName(made, file);
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(made + suffix, { force: true });
  }
}

/** Removes temporary files of killed processes. */
function sweepUnfinished(file: string): void {
  const directory = path.dirname(file);
  const unfinished = readdirSync(directory).filter(
    (name) => name.startsWith(`${path.basename(file)}.`) && name.includes(".tmp"),
  );
  for (const name of unfinished) {
    const stats = statSync(path.join(directory, name), { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > UNFINISHED_MS)
      rmSync(path.join(directory, name), { force: true });
  }
}

function giveName(made: string, file: string): void {
  try {
    linkSync(made, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another process was faster; its index is equivalent.
    if (code === "EEXIST") return;
    // Not every file system has links.
    renameSync(made, file);
  }
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

const DAMAGED = new Set([
  10, // IOERR: the file is shorter than it says
  11, // CORRUPT
  26, // NOTADB
]);
const BUSY = new Set([5, 6]);

function codeOf(error: unknown): number {
  const { errcode } = (error ?? {}) as { errcode?: unknown };
  return typeof errcode === "number" ? errcode & 0xff : 0;
}

/** The file itself is damaged and must be recreated. */
export function isDamage(error: unknown): boolean {
  return DAMAGED.has(codeOf(error));
}

/** Another process is writing. */
function isBusy(error: unknown): boolean {
  return BUSY.has(codeOf(error));
}

/** An error of SQLite, as opposed to one of ours. */
export function isStoreError(error: unknown): boolean {
  return codeOf(error) !== 0;
}
