/**
 * Deleted sessions, until the trash is emptied. Takes no lock; the caller holds that of the session. Guarantee: a
 * session is in the list or in the trash, never in both or neither, after a crash at any point: it is where its log is,
 * and the log moves by one rename. `settleTrash` moves the remaining files after a crash.
 */
import { join } from "node:path";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { isUlid } from "../../kit/ids.ts";
import { RoundtableError, type Json } from "../../protocol/index.ts";
import { ensureDirectory, removeTree } from "../files/directories.ts";
import { FILE_MODE, type FilePort } from "../files/file-port.ts";
import { nodeFiles } from "../files/node-files.ts";
import { sessionPaths, trashRoot } from "../files/paths.ts";
import { readWhole } from "../files/sealed-json.ts";
import { hasLog, moveLog, moveSideFiles } from "./session-files.ts";

export interface TrashOptions {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly files?: FilePort;
}

/** Marker file: present while files are moved in or out. */
const MOVING = "moving";
const NOTE = "deleted.json";
/** Marks a session that is being removed for good and cannot be restored. */
const GONE_SUFFIX = ".gone";

/** Laid out like a data directory, so that a deleted session can be read there. */
export function trashDirectory(dataDir: string, sessionId: string): string {
  // Validates the id.
  sessionPaths(dataDir, sessionId);
  return join(trashRoot(dataDir), sessionId);
}

export async function moveToTrash(options: TrashOptions & { note: Json }): Promise<void> {
  const { dataDir, sessionId, files = nodeFiles, note } = options;
  const directory = trashDirectory(dataDir, sessionId);
  if (hasLog(files, directory, sessionId)) {
    throw new RoundtableError("conflict", `An older session ${sessionId} is in the trash already.`, {
      hint: "Empty the trash first: roundtable sessions trash empty.",
    });
  }
  await ensureDirectory(files, directory);
  await mark(files, directory);
  await writeFileAtomic(join(directory, NOTE), `${JSON.stringify(note)}\n`, { mode: FILE_MODE, files });
  const move = { files, from: dataDir, to: directory, sessionId };
  await moveLog(move);
  await moveSideFiles(move);
  await unmark(files, directory);
}

export async function restoreFromTrash({ dataDir, sessionId, files = nodeFiles }: TrashOptions): Promise<void> {
  const directory = trashDirectory(dataDir, sessionId);
  if (!hasLog(files, directory, sessionId)) {
    throw new RoundtableError("unknown_session", `There is no session ${sessionId} in the trash.`, {
      hint: "List the trash: roundtable sessions trash list.",
    });
  }
  if (hasLog(files, dataDir, sessionId)) {
    throw new RoundtableError(
      "conflict",
      `Cannot restore session ${sessionId}: a session with this id already exists.`,
      {
        hint: "Delete the existing session first, or leave the other one in the trash.",
      },
    );
  }
  await mark(files, directory);
  const move = { files, from: directory, to: dataDir, sessionId };
  await moveSideFiles(move);
  await moveLog(move);
  removeTree(files, directory);
  await files.syncDirectory(trashRoot(dataDir));
}

/** Sessions in the trash, by creation time, without those whose move was cut before the log moved. */
export function trashedIds(dataDir: string, files: FilePort = nodeFiles): string[] {
  const names = files.readdir(trashRoot(dataDir)).filter(isUlid);
  return names.filter((sessionId) => hasLog(files, trashDirectory(dataDir, sessionId), sessionId)).sort();
}

/** The note written when the session was deleted; undefined when it cannot be read. */
export async function readTrashNote({ dataDir, sessionId, files = nodeFiles }: TrashOptions): Promise<unknown> {
  try {
    const bytes = await readWhole(files, join(trashDirectory(dataDir, sessionId), NOTE));
    return bytes === undefined ? undefined : JSON.parse(bytes.toString());
  } catch {
    // The session's own log has the facts.
    return undefined;
  }
}

/** Ids whose move was cut; `settleTrash` completes it under their lock. */
export function unsettledTrash(dataDir: string, files: FilePort = nodeFiles): string[] {
  const root = trashRoot(dataDir);
  return files.readdir(root).filter((name) => isUlid(name) && files.stat(join(root, name, MOVING)) !== undefined);
}

/** Completes a cut move, towards where the log is. */
export async function settleTrash({ dataDir, sessionId, files = nodeFiles }: TrashOptions): Promise<void> {
  const directory = trashDirectory(dataDir, sessionId);
  if (hasLog(files, directory, sessionId)) {
    // Files of a live session with the same id stay.
    if (!hasLog(files, dataDir, sessionId)) await moveSideFiles({ files, from: dataDir, to: directory, sessionId });
    return await unmark(files, directory);
  }
  if (!hasLog(files, dataDir, sessionId)) return undefined;
  removeTree(files, directory);
  await files.syncDirectory(trashRoot(dataDir));
}

/** Permanent; cannot be undone once it has started. */
export async function removeFromTrash({ dataDir, sessionId, files = nodeFiles }: TrashOptions): Promise<void> {
  const directory = trashDirectory(dataDir, sessionId);
  if (files.stat(directory) === undefined) return;
  const gone = `${directory}${GONE_SUFFIX}`;
  removeTree(files, gone);
  files.rename(directory, gone);
  await files.syncDirectory(trashRoot(dataDir));
  removeTree(files, gone);
  await files.syncDirectory(trashRoot(dataDir));
}

/** Removes leftovers of a cut removal. */
export function removeGone(dataDir: string, files: FilePort = nodeFiles): void {
  const root = trashRoot(dataDir);
  for (const name of files.readdir(root)) if (name.endsWith(GONE_SUFFIX)) removeTree(files, join(root, name));
}

async function mark(files: FilePort, directory: string): Promise<void> {
  await writeFileAtomic(join(directory, MOVING), "\n", { mode: FILE_MODE, files });
}

async function unmark(files: FilePort, directory: string): Promise<void> {
  files.unlink(join(directory, MOVING));
  await files.syncDirectory(directory);
}
