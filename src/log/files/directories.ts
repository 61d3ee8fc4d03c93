/** Creates a directory and its parents, each synced into its parent, so that files in it survive a power cut. */

import { dirname, join } from "node:path";
import { errorCodeOf } from "../../kit/files/system-error.ts";
import type { FilePort } from "./file-port.ts";

export async function ensureDirectory(files: FilePort, path: string): Promise<void> {
  if (files.stat(path) !== undefined) return;
  const parent = dirname(path);
  if (parent !== path) await ensureDirectory(files, parent);
  try {
    files.mkdir(path);
  } catch (error) {
    // Created by another process in the meantime.
    if (errorCodeOf(error) !== "EEXIST") throw error;
  }
  await files.syncDirectory(parent);
}

/** Deeper than any of our trees; a symbolic link to a parent cannot loop forever. */
const DEPTH_MAX = 8;

/** Moves a file or directory to a free path and syncs both directories. False when there is nothing to move. */
export async function moveIfExists(files: FilePort, from: string, to: string): Promise<boolean> {
  if (files.stat(from) === undefined) return false;
  await ensureDirectory(files, dirname(to));
  files.rename(from, to);
  await files.syncDirectory(dirname(to));
  await files.syncDirectory(dirname(from));
  return true;
}

/** A missing path counts as removed. */
export function removeTree(files: FilePort, path: string, depth = 0): void {
  const stats = files.stat(path);
  if (stats === undefined) return;
  if (!stats.isDirectory) return files.unlink(path);
  if (depth >= DEPTH_MAX) throw new Error(`${path} is nested too deeply to be removed.`);
  for (const name of files.readdir(path)) removeTree(files, join(path, name), depth + 1);
  files.rmdir(path);
}
