/** Where the files of one session are. The only place that knows. */
import { join } from "node:path";
import { isUlid } from "../../kit/ids.ts";
import { RoundtableError } from "../../protocol/index.ts";

const LOG_SUFFIX = ".jsonl";
const COMPRESSED_SUFFIX = ".jsonl.zst";

export interface SessionPaths {
  readonly logs: string;
  readonly log: string;
  /** The same bytes compressed, while the session is put away. What is in `log` counts when both are there. */
  readonly compressed: string;
  /** The highest epoch this session was ever opened with. */
  readonly epoch: string;
  readonly lock: string;
  readonly lockHolder: string;
  readonly snapshots: string;
  readonly blobs: string;
  readonly sessions: string;
  readonly meta: string;
}

/** Refuses anything but a session id, so that no caller's text can name a place outside the data directory. */
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

/** The ids of the sessions whose logs have these names, plain or compressed, each once, in the order they were made. */
export function sessionIdsAmong(names: readonly string[]): string[] {
  const ids = names.flatMap((name) => {
    const suffix = [LOG_SUFFIX, COMPRESSED_SUFFIX].find((one) => name.endsWith(one));
    return suffix === undefined ? [] : [name.slice(0, -suffix.length)];
  });
  return [...new Set(ids.filter(isUlid))].sort();
}

/** Deleted sessions: one directory each, laid out like a data directory of its own. */
export function trashRoot(dataDir: string): string {
  return join(dataDir, "trash");
}

/** Sessions that are still being made as a copy of another: one directory each, laid out like a data directory. */
export function stagingRoot(dataDir: string): string {
  return join(dataDir, "forks");
}

/** The name a torn tail is kept under, for a person to look at. */
export function tornPath(paths: SessionPaths, time: number): string {
  const stamp = new Date(time).toISOString().replaceAll(/[-:.]/g, "");
  return `${paths.log.slice(0, -".jsonl".length)}.torn-${stamp}`;
}
