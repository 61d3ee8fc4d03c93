/**
 * Small files that are either the old or the new one, never half of it, also after a power cut.
 * Temporary name, write, sync, rename, sync the directory. A cut may leave a `*.tmp` behind, which nobody reads.
 * A derived file, which can be told from a broken one and made again, is not synced: a power cut may cost it.
 */
import { closeSync, fchmodSync, fdatasync, fsync, linkSync, openSync } from "node:fs";
import { renameSync, unlinkSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { newId } from "../ids.ts";
import { readOwnFile } from "./own-file.ts";

/** The few file operations it takes, so that a store which brings its own files can use it too. */
export interface AtomicFiles {
  /** Makes a new file that must not exist, with exactly these permissions. */
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
      // The first error is the one to tell; a leftover temporary file is harmless.
    }
    throw error;
  }
  if (!isDerived) await files.syncDirectory(dirname(path));
}

/** What was renamed, made or removed in a directory is durable only after this. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a directory; its renames are journaled by the file system.
  if (process.platform === "win32") return;
  const fd = openSync(path, "r");
  try {
    await settled((done) => fsync(fd, done));
  } finally {
    closeSync(fd);
  }
}

/** A file of ours; undefined when there is none. */
export function readIfThere(path: string): string | undefined {
  try {
    return readOwnFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Gives a file a second name. False when that is taken: of two that try, one has it. */
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
