/** Makes a directory and those above it, each synced into the one it is in, so that nothing put there can lose its place. */
import { dirname } from "node:path";
import { errorCodeOf } from "../../kit/files/system-error.ts";
import { type FilePort } from "./file-port.ts";

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
