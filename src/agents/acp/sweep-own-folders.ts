/**
 * Removes the folders for agents' programs that a Roundtable which was killed has left in the temporary folder. Used
 * when a host starts.
 * Promises: only directories of this user that bear our name, are older than a day and were made by a process that is
 * gone; never rejects.
 */
import { lstat, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { OWN_FOLDER_PREFIX } from "../drivers/acp/private-directory.ts";

/** The rest waits for the next start. */
const FOLDERS_MAX = 200;
/** A process whose id means nothing here, in another container perhaps, may use a younger one. */
const UNUSED_MS = 24 * 60 * 60 * 1_000;

export async function sweepOwnFolders(temporary = tmpdir(), nowMs = Date.now()): Promise<number> {
  if (process.platform === "win32") return 0;
  const names = await readdir(temporary).catch(() => []);
  const folders = names.filter((name) => name.startsWith(OWN_FOLDER_PREFIX) && !isMakerAlive(name));
  const swept = await Promise.all(
    folders.slice(0, FOLDERS_MAX).map((name) => sweep(path.join(temporary, name), nowMs)),
  );
  return swept.filter(Boolean).length;
}

async function sweep(folder: string, nowMs: number): Promise<boolean> {
  try {
    const facts = await lstat(folder);
    const isOurs = facts.isDirectory() && facts.uid === process.getuid?.();
    if (!isOurs || nowMs - facts.mtimeMs < UNUSED_MS) return false;
    await rm(folder, { recursive: true, force: true });
    return true;
  } catch {
    // Somebody else was quicker, or it cannot be removed: then it stays.
    return false;
  }
}

function isMakerAlive(name: string): boolean {
  const pid = Number(/^\d+(?=-)/.exec(name.slice(OWN_FOLDER_PREFIX.length))?.[0] ?? 0);
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
