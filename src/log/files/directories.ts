/** Makes a directory and those above it, each synced into the one it is in, so that nothing put there can lose its place. */

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
    // Another process made it in the meantime.
    if (errorCodeOf(error) !== "EEXIST") throw error;
  }
  await files.syncDirectory(parent);
}

/** Directories with all that is in them: moved as one, removed piece by piece. */
/** Deeper than anything of ours; a link back to a parent cannot keep it busy for ever. */
const DEPTH_MAX = 8;

/** Moves a file or directory to where nothing is, and syncs both places. False when there is nothing to move. */
export async function moveIfExists(files: FilePort, from: string, to: string): Promise<boolean> {
  if (files.stat(from) === undefined) return false;
  await ensureDirectory(files, dirname(to));
  files.rename(from, to);
  await files.syncDirectory(dirname(to));
  await files.syncDirectory(dirname(from));
  return true;
}

/** Nothing there is as good as removed. */
export function removeTree(files: FilePort, path: string, depth = 0): void {
  const stats = files.stat(path);
  if (stats === undefined) return;
  if (!stats.isDirectory) return files.unlink(path);
  if (depth >= DEPTH_MAX) throw new Error(`${path} lies too deep to be removed.`);
  for (const name of files.readdir(path)) removeTree(files, join(path, name), depth + 1);
  files.rmdir(path);
}
