/**
 * Leftovers of a crash in a thread tree: temporary files, claimed numbers, streams without a writer. Each names its
 * session, so files of others are not touched.
 */
import { stat, unlink } from "node:fs/promises";
import path from "node:path";
import { ignoreMissing } from "./files/error-code.ts";
import type { ThreadLocation } from "./thread-location.ts";
import { streamOwner } from "./own-stream.ts";
import { removeOrphanedFiles, scanThread } from "./files/thread-directory.ts";
import { removeTempFiles } from "./files/atomic-file.ts";

/** Only for the session that holds the lock, so that no other process writes in its name. A missing tree is fine. */
export async function cleanUpAfterCrash(
  { kd, branchDir, dir }: Pick<ThreadLocation, "kd" | "branchDir" | "dir">,
  sessionId: string,
): Promise<void> {
  for (const directory of [kd, branchDir, path.join(branchDir, "sessions")])
    await removeTempFiles(directory, sessionId);
  if ((await stat(dir).catch(ignoreMissing)) === undefined) return;
  await removeOrphanedFiles(dir, sessionId);
  const { streams } = await scanThread(dir);
  for (const file of streams.values()) {
    const full = path.join(dir, file);
    if ((await streamOwner(full)) === sessionId) await unlink(full).catch(ignoreMissing);
  }
}
