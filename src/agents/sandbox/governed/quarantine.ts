/** Moves unapproved governed files to a directory where they have no effect. */
import { chmodSync, cpSync, lstatSync, mkdirSync, renameSync, rmSync, type Stats } from "node:fs";
import path from "node:path";

const COPIED_BYTES_MAX = 20 * 1024 * 1024;

/**
 * Where it is now, or why it was not moved. Links are moved as links. On another file system only a small file is
 * copied: everything else gets another name where it is, since it could be of any size.
 */
export function move(from: string, to: string): { readonly to: string } | { readonly why: string } {
  try {
    mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
    try {
      rename(from, to);
      return { to };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    }
    const stats = lstatSync(from);
    if (stats.isSymbolicLink() || (stats.isFile() && stats.size <= COPIED_BYTES_MAX)) {
      cpSync(from, to, { verbatimSymlinks: true });
      rmSync(from);
      return { to };
    }
    const beside = `${from}.replaced-${Date.now()}`;
    renameSync(from, beside);
    return { to: beside };
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}

/** Also out of directories that were made read-only to keep it there. */
function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    for (const directory of [path.dirname(from), from]) makeWritable(directory);
    renameSync(from, to);
  }
}

/** A directory of ours that a member has made read-only. */
export function makeWritable(directory: string): void {
  const stats = statsOf(directory);
  if (stats?.isDirectory() === true) chmodSync(directory, (stats.mode & 0o777) | 0o700);
}

/** Undefined also where a parent is no directory or may not be searched: a member can change that at any moment. */
export function statsOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
