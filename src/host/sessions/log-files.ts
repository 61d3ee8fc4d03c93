/** The logs of a data directory with their size and time: what tells, without reading one, whether it has changed. */
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { isUlid } from "../../kit/ids.ts";
import { sessionIdsAmong, sessionPaths } from "../../log/index.ts";

export interface LogStat {
  readonly size: number;
  readonly mtimeMs: number;
}

/** Undefined when there is no such log, plain or compressed. */
export type StatLog = (sessionId: string) => LogStat | undefined;

/** In the order they were made; none when there is no such directory. */
export function listSessionIds(dataDir: string): string[] {
  try {
    return sessionIdsAmong(readdirSync(path.join(dataDir, "logs")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

const ANY_ID = "00000000000000000000000000";

/** The names are made from those of one session: with ten thousand of them, putting paths together is most of the work. */
export function createStatLog(dataDir: string): StatLog {
  const { log, compressed } = sessionPaths(dataDir, ANY_ID);
  const [plain, packed] = [log, compressed].map((name) => {
    const at = name.lastIndexOf(ANY_ID);
    return { before: name.slice(0, at), after: name.slice(at + ANY_ID.length) };
  });
  const stat = (name: { before: string; after: string } | undefined, sessionId: string) =>
    name === undefined ? undefined : statSync(name.before + sessionId + name.after, { throwIfNoEntry: false });
  return (sessionId) => {
    if (!isUlid(sessionId)) return undefined;
    const stats = stat(plain, sessionId) ?? stat(packed, sessionId);
    return stats === undefined ? undefined : { size: stats.size, mtimeMs: stats.mtimeMs };
  };
}
