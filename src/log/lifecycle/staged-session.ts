/**
 * A session that is being made as a copy of another, or gone on with as a whole, is written aside and put in its place
 * when it is whole: nobody ever sees half of it. Takes no lock; whoever calls holds that of the session.
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

/** Where it is written until then, laid out like a data directory. */
export function stagingDirectory(dataDir: string, sessionId: string): string {
  // Checks the id.
  sessionPaths(dataDir, sessionId);
  return join(stagingRoot(dataDir), sessionId);
}

/** Lays aside the log that is there, plain or compressed, and its epoch, to be gone on with; nothing when there is none. */
export async function stageCopy({ dataDir, sessionId, files = nodeFiles }: StagedOptions): Promise<void> {
  const source = sessionPaths(dataDir, sessionId);
  const target = sessionPaths(stagingDirectory(dataDir, sessionId), sessionId);
  const log = (["log", "compressed"] as const).find((name) => files.stat(source[name]) !== undefined);
  if (log === undefined) return;
  await ensureDirectory(files, target.logs);
  if (files.stat(source.epoch) !== undefined) await copyFile(files, source.epoch, target.epoch);
  await copyFile(files, source[log], target[log]);
}

/** What is to be put in place has been closed. The log comes last, also where it takes the place of an older one. */
export async function publishStaged({ dataDir, sessionId, files = nodeFiles }: StagedOptions): Promise<void> {
  const directory = stagingDirectory(dataDir, sessionId);
  const move = { files, from: directory, to: dataDir, sessionId };
  await moveSideFiles(move);
  await moveLog(move);
  // The log that was gone on with may have been put away compressed.
  await settleCompressed(files, sessionPaths(dataDir, sessionId), systemClock.now());
  removeTree(files, directory);
  await files.syncDirectory(stagingRoot(dataDir));
}

/** Copies that were never finished, or not cleaned up after. */
export function stagedIds(dataDir: string, files: FilePort = nodeFiles): string[] {
  return files.readdir(stagingRoot(dataDir)).filter(isUlid);
}

/** Removes what an unfinished copy has left; one that is in its place stays there. */
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

/** Gives the other session the same bodies: they never change, so both may have the same bytes on disk. */
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
    // Not every file system has second names: the bytes are copied there.
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

/** In pieces: a log may be larger than memory. */
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
