/** The logs of a data directory with size and mtime, which show changes without reading them. */
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { isUlid } from "../../kit/ids.ts";
import { sessionIdsAmong, sessionPaths, type OpenLogOptions } from "../../log/index.ts";

/** File operations of a log; tests inject failing ones. */
export type LogFiles = NonNullable<OpenLogOptions["files"]>;

export interface LogStat {
  readonly size: number;
  readonly mtimeMs: number;
}

/** Undefined when there is no such log, plain or compressed. */
export type StatLog = (sessionId: string) => LogStat | undefined;

/** In creation order; empty when there is no such directory. */
export function listSessionIds(dataDir: string): string[] {
  try {
    return sessionIdsAmong(readdirSync(path.join(dataDir, "logs")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

const ANY_ID = "00000000000000000000000000";

/** Paths are built from a template: joining them for ten thousand sessions would be most of the work. */
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
