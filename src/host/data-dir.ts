/** The parts of a data directory that the host owns. Directories are 0700 and files 0600 under any umask. */
import { chmod } from "node:fs/promises";
import path from "node:path";
import { makeDirectory } from "../kit/files/private-directory.ts";

export const DIRECTORY_MODE = 0o700;
export const FILE_MODE = 0o600;

/** Sockets and process records. */
export function runDir(dataDir: string): string {
  return path.join(dataDir, "run");
}

/** The small summaries that listings read; derived from the logs. */
export function sessionsDir(dataDir: string): string {
  return path.join(dataDir, "sessions");
}

export async function prepareDataDir(dataDir: string): Promise<void> {
  for (const directory of [dataDir, runDir(dataDir), sessionsDir(dataDir)]) await makePrivateDirectory(directory);
}

/** A directory that was there before keeps its mode: it may be somebody's home. */
async function makePrivateDirectory(directory: string): Promise<void> {
  if (makeDirectory(directory, DIRECTORY_MODE)) await chmod(directory, DIRECTORY_MODE);
}
