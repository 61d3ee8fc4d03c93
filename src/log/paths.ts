/** Where the files of one session are. The only place that knows. */
import { join } from "node:path";
import { isUlid } from "../kit/ids.ts";
import { RoundtableError } from "../protocol/index.ts";

export interface SessionPaths {
  readonly logs: string;
  readonly log: string;
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
    log: join(logs, `${sessionId}.jsonl`),
    epoch: join(logs, `${sessionId}.epoch`),
    lock: join(logs, `${sessionId}.lock`),
    lockHolder: join(logs, `${sessionId}.lock.json`),
    snapshots: join(logs, `${sessionId}.snap`),
    blobs: join(dataDir, "blobs", sessionId),
    sessions,
    meta: join(sessions, `${sessionId}.meta.json`),
  };
}

/** The name a torn tail is kept under, for a person to look at. */
export function tornPath(paths: SessionPaths, time: number): string {
  const stamp = new Date(time).toISOString().replaceAll(/[-:.]/g, "");
  return `${paths.log.slice(0, -".jsonl".length)}.torn-${stamp}`;
}
