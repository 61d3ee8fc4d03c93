/** Layout of the host's part of a data directory. Directories are 0700 and files 0600 under any umask. */
import { rmSync } from "node:fs";
import { chmod } from "node:fs/promises";
import path from "node:path";
import { makeDirectory } from "../kit/files/private-directory.ts";
import type { SessionPaths } from "../log/index.ts";

export const DIRECTORY_MODE = 0o700;
export const FILE_MODE = 0o600;

/** Sockets and process records. */
export function runDir(dataDir: string): string {
  return path.join(dataDir, "run");
}

/** Summary files for the session list; derived from the logs. */
export function sessionsDir(dataDir: string): string {
  return path.join(dataDir, "sessions");
}

export async function prepareDataDir(dataDir: string): Promise<void> {
  for (const directory of [dataDir, runDir(dataDir), sessionsDir(dataDir)]) await makePrivateDirectory(directory);
}

/** An existing directory keeps its mode: it may be a home directory. */
async function makePrivateDirectory(directory: string): Promise<void> {
  if (makeDirectory(directory, DIRECTORY_MODE)) await chmod(directory, DIRECTORY_MODE);
}

/** Removes the lock file of a deleted session. Only for its holder: removing one in use would allow two writers. */
export function removeLockFile({ lock }: SessionPaths): void {
  try {
    rmSync(lock, { force: true });
  } catch {
    // Some systems keep open files; an empty lock file without a session is harmless.
  }
}
