/** Moves a session's files, other than its lock, between data directories. */
import { basename, join } from "node:path";
import { systemClock } from "../../kit/clock.ts";
import { settleCompressed } from "./compress-log.ts";
import { ensureDirectory, moveIfExists } from "../files/directories.ts";
import type { FilePort } from "../files/file-port.ts";
import { nodeFiles } from "../files/node-files.ts";
import { sessionPaths } from "../files/paths.ts";

export interface Move {
  readonly files: FilePort;
  /** A data directory, or a directory laid out like one. */
  readonly from: string;
  readonly to: string;
  readonly sessionId: string;
}

/** Whether the session has a log, plain or compressed. */
export function hasSession(dataDir: string, sessionId: string, files: FilePort = nodeFiles): boolean {
  return hasLog(files, dataDir, sessionId);
}

/** Whether its log is compressed, with no plain one beside it. */
export function isOnlyCompressed(dataDir: string, sessionId: string, files: FilePort = nodeFiles): boolean {
  const { log, compressed } = sessionPaths(dataDir, sessionId);
  return files.stat(log) === undefined && files.stat(compressed) !== undefined;
}

/** Whether it has a log, plain or compressed. */
export function hasLog(files: FilePort, dataDir: string, sessionId: string): boolean {
  const { log, compressed } = sessionPaths(dataDir, sessionId);
  return files.stat(log) !== undefined || files.stat(compressed) !== undefined;
}

/** False for a log that was never opened for writing because its import was cut. */
export function hasEpoch(dataDir: string, sessionId: string, files: FilePort = nodeFiles): boolean {
  return files.stat(sessionPaths(dataDir, sessionId).epoch) !== undefined;
}

/** A session is where its log is: a move starts or ends with this step. */
export async function moveLog({ files, from, to, sessionId }: Move): Promise<void> {
  const source = sessionPaths(from, sessionId);
  const target = sessionPaths(to, sessionId);
  await ensureDirectory(files, target.logs);
  // Only one of the two can be moved; the plain one takes precedence.
  if (files.stat(source.log) !== undefined) await settleCompressed(files, source, systemClock.now());
  if (await moveIfExists(files, source.log, target.log)) return;
  await moveIfExists(files, source.compressed, target.compressed);
}

/** Moves everything else; what has arrived in an earlier attempt stays. */
export async function moveSideFiles({ files, from, to, sessionId }: Move): Promise<void> {
  const source = sessionPaths(from, sessionId);
  const target = sessionPaths(to, sessionId);
  await ensureDirectory(files, target.logs);
  for (const name of namesBeside(files, from, sessionId)) {
    await moveOver(files, join(source.logs, name), join(target.logs, name));
  }
  await moveOver(files, source.blobs, target.blobs);
  await moveOver(files, source.meta, target.meta);
}

/** An existing target is left from an earlier attempt: a file is replaced, a directory is merged. */
async function moveOver(files: FilePort, from: string, to: string): Promise<void> {
  const isMerge = files.stat(from)?.isDirectory === true && files.stat(to)?.isDirectory === true;
  if (!isMerge) return void (await moveIfExists(files, from, to));
  for (const name of files.readdir(from)) await moveIfExists(files, join(from, name), join(to, name));
  files.rmdir(from);
}

/** Files beside the log: epoch, snapshots, torn tails, temporary files. */
function namesBeside(files: FilePort, dataDir: string, sessionId: string): string[] {
  const { logs, log, compressed, lock } = sessionPaths(dataDir, sessionId);
  const staying = new Set([log, compressed].map((path) => basename(path)));
  return files
    .readdir(logs)
    .filter((name) => name.startsWith(`${sessionId}.`) && !staying.has(name) && !name.startsWith(basename(lock)));
}
