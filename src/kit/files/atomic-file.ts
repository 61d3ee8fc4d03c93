/**
 * Atomic replacement of small files: temporary file, write, sync, rename, sync the directory. A crash leaves the old or
 * the new content, and at most a `*.tmp` that nobody reads. Derived files, which can be rebuilt, skip the syncs.
 */
import { closeSync, fchmodSync, fdatasync, fsync, linkSync, openSync } from "node:fs";
import { renameSync, unlinkSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { newId } from "../ids.ts";
import { readOwnFile } from "./own-file.ts";

/** The file operations needed, so that a store with its own file port can use this too. */
export interface AtomicFiles {
  /** Creates a file that must not exist, with exactly this mode. */
  create(path: string, mode: number): { write(bytes: Uint8Array): number; datasync(): Promise<void>; close(): void };
  rename(from: string, to: string): void;
  unlink(path: string): void;
  syncDirectory(path: string): Promise<void>;
}

export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: { mode?: number; files?: AtomicFiles; isDerived?: boolean } = {},
): Promise<void> {
  const { mode = 0o600, files = nodeFiles, isDerived = false } = options;
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  const temporary = `${path}.${newId()}.tmp`;
  const file = files.create(temporary, mode);
  try {
    try {
      for (let done = 0; done < bytes.length;) done += file.write(bytes.subarray(done));
      if (!isDerived) await file.datasync();
    } finally {
      file.close();
    }
    files.rename(temporary, path);
  } catch (error) {
    try {
      files.unlink(temporary);
    } catch {
      // Report the first error; a leftover temporary file is harmless.
    }
    throw error;
  }
  if (!isDerived) await files.syncDirectory(dirname(path));
}

/** Renames, creations and deletions in a directory are durable only after this. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open directories; its file system journals renames.
  if (process.platform === "win32") return;
  const fd = openSync(path, "r");
  try {
    await settled((done) => fsync(fd, done));
  } finally {
    closeSync(fd);
  }
}

/** Content of a file of ours; undefined when it does not exist. */
export function readIfThere(path: string): string | undefined {
  try {
    return readOwnFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Hard link; false when the target exists. Of two concurrent callers, one succeeds. */
export function linkIfFree(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

const nodeFiles: AtomicFiles = {
  create(path, mode) {
    const fd = openSync(path, "wx", mode);
    fchmodSync(fd, mode);
    return {
      write: (bytes) => writeSync(fd, bytes),
      datasync: () => settled((done) => fdatasync(fd, done)),
      close: () => closeSync(fd),
    };
  },
  rename: renameSync,
  unlink: unlinkSync,
  syncDirectory,
};

function settled(start: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => start((error) => (error === null ? resolve() : reject(error))));
}
