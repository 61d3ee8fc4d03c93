/** Paths of a session's files. No other file builds them. */
import { join } from "node:path";
import { isUlid } from "../../kit/ids.ts";
import { RoundtableError } from "../../protocol/index.ts";

const LOG_SUFFIX = ".jsonl";
const COMPRESSED_SUFFIX = ".jsonl.zst";

export interface SessionPaths {
  readonly logs: string;
  readonly log: string;
  /** The same bytes compressed, while the session is archived. `log` takes precedence when both exist. */
  readonly compressed: string;
  /** File with the highest epoch that this session was ever opened with. */
  readonly epoch: string;
  readonly lock: string;
  readonly lockHolder: string;
  readonly snapshots: string;
  readonly blobs: string;
  readonly sessions: string;
  readonly meta: string;
}

/** Throws for anything but a session id, so that no caller's text can point outside the data directory. */
export function sessionPaths(dataDir: string, sessionId: string): SessionPaths {
  if (!isUlid(sessionId)) {
    throw new RoundtableError("unknown_session", `${JSON.stringify(sessionId)} is not a session id.`, {
      hint: "A session id is 26 letters and digits; `roundtable sessions list` shows them.",
    });
  }
  const logs = join(dataDir, "logs");
  const sessions = join(dataDir, "sessions");
  return {
    logs,
    log: join(logs, `${sessionId}${LOG_SUFFIX}`),
    compressed: join(logs, `${sessionId}${COMPRESSED_SUFFIX}`),
    epoch: join(logs, `${sessionId}.epoch`),
    lock: join(logs, `${sessionId}.lock`),
    lockHolder: join(logs, `${sessionId}.lock.json`),
    snapshots: join(logs, `${sessionId}.snap`),
    blobs: join(dataDir, "blobs", sessionId),
    sessions,
    meta: join(sessions, `${sessionId}.meta.json`),
  };
}

/** Ids of the sessions that have a log among these names, plain or compressed, without duplicates, by creation time. */
export function sessionIdsAmong(names: readonly string[]): string[] {
  const ids = names.flatMap((name) => {
    const suffix = [LOG_SUFFIX, COMPRESSED_SUFFIX].find((one) => name.endsWith(one));
    return suffix === undefined ? [] : [name.slice(0, -suffix.length)];
  });
  return [...new Set(ids.filter(isUlid))].sort();
}

/** Deleted sessions: one directory each, laid out like a data directory. */
export function trashRoot(dataDir: string): string {
  return join(dataDir, "trash");
}

/** Sessions that are still being copied or imported: one directory each, laid out like a data directory. */
export function stagingRoot(dataDir: string): string {
  return join(dataDir, "forks");
}

/** Path for a copy of a torn tail, for inspection by a person. */
export function tornPath(paths: SessionPaths, time: number): string {
  const stamp = new Date(time).toISOString().replaceAll(/[-:.]/g, "");
  return `${paths.log.slice(0, -".jsonl".length)}.torn-${stamp}`;
}
