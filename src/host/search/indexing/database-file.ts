/**
 * The file of the index: made when it is absent, made again when it is damaged or of an older version. Several processes
 * may have it open; one that finds another file under the name than the one it opened goes on with that.
 */
import { chmodSync, closeSync, linkSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { newId } from "../../../kit/ids.ts";
import { assertOwnFile } from "../../../kit/files/own-file.ts";
import { RoundtableError } from "../../../protocol/index.ts";
import { FILE_MODE } from "../../data-dir.ts";
import { makeTables, SCHEMA_VERSION, versionOf } from "./schema.ts";
import { isBusy, isStoreError, loadSqlite } from "./load-sqlite.ts";

/** Another process writes for a moment at most; waiting longer would only hide a fault. */
const BUSY_TIMEOUT_MS = 5_000;
/** Pages of the index in memory; the system keeps the rest of the file at hand. */
const CACHE_KIB = 8 * 1024;
const WAL_BYTES_MAX = 16 * 1024 * 1024;
const OPEN_TRIES_MAX = 3;
/** Nobody takes this long to make an empty index. */
const UNFINISHED_MS = 60_000;

export interface IndexFile {
  readonly database: DatabaseSync;
  /** False when the name stands for another file by now, or for none. */
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
      hint: "Make the data directory writable for you, with space on its disk.",
      cause: error,
    });
  }
}

/** Undefined when what was there is no index of this version, and was removed. */
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

/** It is made again from the logs. What others have open of it they keep until they look. */
export function removeIndexFile(dataDir: string): void {
  const file = indexPath(dataDir);
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
}

class OldIndexError extends Error {
  /** As the store says it of a file that is not its own. */
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
          hint: "Search with that version, or delete the file: it is made again.",
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

/** Under a name of its own until it is whole, so that nobody ever opens half of one. */
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
    // What belonged to a file that was deleted would be taken for the journal of this one.
    for (const suffix of ["-wal", "-shm"]) rmSync(file + suffix, { force: true });
    giveName(made, file);
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(made + suffix, { force: true });
  }
}

/** What processes left that were killed while they made one. */
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
    // Another process was faster; its file is as good as ours.
    if (code === "EEXIST") return;
    // Not every file system has links.
    renameSync(made, file);
  }
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}
