/**
 * A session that is being copied or imported is written to a staging directory and moved into place when complete, so
 * that no reader sees half of it. Takes no lock; the caller holds that of the session.
 */
import { join } from "node:path";
import { systemClock } from "../../kit/clock.ts";
import { isUlid } from "../../kit/ids.ts";
import { settleCompressed } from "./compress-log.ts";
import { ensureDirectory, removeTree } from "../files/directories.ts";
import { errorCodeOf } from "../../kit/files/system-error.ts";
import { FILE_MODE, type FilePort } from "../files/file-port.ts";
import { nodeFiles } from "../files/node-files.ts";
import { sessionPaths, stagingRoot } from "../files/paths.ts";
import { readRange } from "../reader/scan.ts";
import { readWhole } from "../files/sealed-json.ts";
import { hasLog, moveLog, moveSideFiles } from "./session-files.ts";

const COPY_BYTES = 1024 * 1024;

export interface StagedOptions {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly files?: FilePort;
}

/** Staging directory, laid out like a data directory. */
export function stagingDirectory(dataDir: string, sessionId: string): string {
  // Validates the id.
  sessionPaths(dataDir, sessionId);
  return join(stagingRoot(dataDir), sessionId);
}

/**
 * Copies the existing log, plain or compressed, and its epoch to the staging directory to be continued; does nothing
 * when there is none.
 */
export async function stageCopy({ dataDir, sessionId, files = nodeFiles }: StagedOptions): Promise<void> {
  const source = sessionPaths(dataDir, sessionId);
  const target = sessionPaths(stagingDirectory(dataDir, sessionId), sessionId);
  const log = (["log", "compressed"] as const).find((name) => files.stat(source[name]) !== undefined);
  if (log === undefined) return;
  await ensureDirectory(files, target.logs);
  if (files.stat(source.epoch) !== undefined) await copyFile(files, source.epoch, target.epoch);
  await copyFile(files, source[log], target[log]);
}

/** Moves a closed staged session into place. The log is moved last, also when it replaces an older one. */
export async function publishStaged({ dataDir, sessionId, files = nodeFiles }: StagedOptions): Promise<void> {
  const directory = stagingDirectory(dataDir, sessionId);
  const move = { files, from: directory, to: dataDir, sessionId };
  await moveSideFiles(move);
  await moveLog(move);
  // The continued log may have been compressed.
  await settleCompressed(files, sessionPaths(dataDir, sessionId), systemClock.now());
  removeTree(files, directory);
  await files.syncDirectory(stagingRoot(dataDir));
}

/** Copies that were never finished or cleaned up. */
export function stagedIds(dataDir: string, files: FilePort = nodeFiles): string[] {
  return files.readdir(stagingRoot(dataDir)).filter(isUlid);
}

/** Removes an unfinished copy; a published session stays. */
export async function discardStaged({ dataDir, sessionId, files = nodeFiles }: StagedOptions): Promise<void> {
  if (!hasLog(files, dataDir, sessionId)) {
    const { epoch, snapshots, blobs, meta } = sessionPaths(dataDir, sessionId);
    for (const path of [epoch, snapshots, blobs, meta]) removeTree(files, path);
  }
  removeTree(files, stagingDirectory(dataDir, sessionId));
  if (files.stat(stagingRoot(dataDir)) !== undefined) await files.syncDirectory(stagingRoot(dataDir));
}

export interface SharedBlobs {
  readonly files?: FilePort;
  readonly from: { readonly dataDir: string; readonly sessionId: string };
  readonly to: { readonly dataDir: string; readonly sessionId: string };
  readonly hashes: Iterable<string>;
}

/** Links blobs into the other session: they never change, so both can share the bytes on disk. */
export async function shareBlobs({ files = nodeFiles, from, to, hashes }: SharedBlobs): Promise<void> {
  const source = sessionPaths(from.dataDir, from.sessionId).blobs;
  const target = sessionPaths(to.dataDir, to.sessionId).blobs;
  const known = new Set(files.readdir(source));
  const wanted = [...hashes].filter((sha256) => known.has(sha256));
  if (wanted.length === 0) return;
  await ensureDirectory(files, target);
  for (const sha256 of wanted) await share(files, join(source, sha256), join(target, sha256));
  await files.syncDirectory(target);
}

async function share(files: FilePort, from: string, to: string): Promise<void> {
  try {
    return files.link(from, to);
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") return;
    // Without hard links on this file system the bytes are copied.
    if (!["EPERM", "ENOTSUP", "EXDEV", "EMLINK", "ENOSYS"].includes(errorCodeOf(error))) throw error;
  }
  const bytes = await readWhole(files, from);
  if (bytes === undefined) return;
  const file = files.create(to, FILE_MODE);
  try {
    for (let done = 0; done < bytes.length;) done += file.write(bytes.subarray(done));
    await file.datasync();
  } finally {
    file.close();
  }
}

/** In chunks: a log may be larger than memory. */
async function copyFile(files: FilePort, from: string, to: string): Promise<void> {
  const source = files.openToRead(from);
  try {
    const target = files.create(to, FILE_MODE);
    try {
      const { size } = source.stat();
      for (let at = 0; at < size; at += COPY_BYTES) {
        const chunk = await readRange(source, at, Math.min(size, at + COPY_BYTES));
        for (let done = 0; done < chunk.length;) done += target.write(chunk.subarray(done));
      }
      await target.datasync();
    } finally {
      target.close();
    }
  } finally {
    source.close();
  }
}
