/** Files of a data directory that nothing refers to any more: of a write that was cut, or of a session that is gone. */
import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { isUlid } from "../../kit/ids.ts";

/** What is younger may be just being written. */
const GRACE_MS = 60_000;
const FILES_LISTED_MAX = 1_000;
const ID_LENGTH = 26;

/** At most a thousand of them. Lock files are left out: taking one away from under somebody would let two write. */
export async function findOrphanFiles(dataDir: string, ids: readonly string[], now = Date.now()): Promise<string[]> {
  const known = new Set(ids);
  const logs = path.join(dataDir, "logs");
  const candidates = [
    ...(await namesIn(logs)).filter((name) => isOrphan(name, known)).map((name) => path.join(logs, name)),
    ...(await namesIn(path.join(dataDir, "sessions")))
      .filter((name) => name.endsWith(".tmp"))
      .map((name) => path.join(dataDir, "sessions", name)),
    ...(await namesIn(path.join(dataDir, "blobs")))
      .filter((name) => isUlid(name) && !known.has(name))
      .map((name) => path.join(dataDir, "blobs", name)),
  ];
  const old: string[] = [];
  for (const file of candidates.slice(0, FILES_LISTED_MAX)) if (await isOld(file, now)) old.push(file);
  return old;
}

export async function removeOrphanFiles(files: readonly string[]): Promise<void> {
  for (const file of files) await rm(file, { recursive: true, force: true });
}

/** Torn tails of a session that is there are kept for a person to look at. */
function isOrphan(name: string, known: ReadonlySet<string>): boolean {
  const sessionId = name.slice(0, ID_LENGTH);
  if (!isUlid(sessionId)) return false;
  const rest = name.slice(ID_LENGTH);
  if (rest.startsWith(".lock")) return false;
  return rest.endsWith(".tmp") || !known.has(sessionId);
}

async function isOld(file: string, now: number): Promise<boolean> {
  const stats = await stat(file).catch(() => undefined);
  return stats !== undefined && now - stats.mtimeMs > GRACE_MS;
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}
