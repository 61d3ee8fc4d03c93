/**
 * What a process has learned of all sessions, for the next one. Derived: each entry counts only while the log has the size
 * and time that it names, and without the file every session is asked by itself. Any process may write it; the last wins.
 */
import path from "node:path";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { loadOwnFile } from "../../kit/files/own-file.ts";
import type { SessionSummary } from "../../protocol/index.ts";
import { sessionsDir } from "../data-dir.ts";

/** Raised when a summary holds something else for the same log. */
const FORMAT = 1;
/** More would be a file that is not ours. */
const BYTES_MAX = 256 * 1024 * 1024;

export interface ListedSession {
  /** Of the log that it was read from. */
  readonly size: number;
  readonly mtimeMs: number;
  readonly summary: SessionSummary;
}

function listPath(dataDir: string): string {
  return path.join(sessionsDir(dataDir), "list.json");
}

/** Empty when there is none, or it cannot be read. */
export async function readListFile(dataDir: string): Promise<ListedSession[]> {
  try {
    const bytes = await loadOwnFile(listPath(dataDir));
    if (bytes.length > BYTES_MAX) return [];
    const { format, sessions } = JSON.parse(bytes.toString("utf8")) as { format?: unknown; sessions?: unknown };
    return format === FORMAT && Array.isArray(sessions) ? sessions.filter(isListed) : [];
  } catch {
    // Absent or broken is the same here: every session says itself what it is.
    return [];
  }
}

/** Never rejects: a listing does not fail because what it learned cannot be kept. */
export async function writeListFile(dataDir: string, sessions: readonly ListedSession[]): Promise<void> {
  try {
    await writeFileAtomic(listPath(dataDir), `${JSON.stringify({ format: FORMAT, sessions })}\n`, { isDerived: true });
  } catch {
    // A full or read-only disk shows elsewhere.
  }
}

/** Ten thousand of them are checked in a few milliseconds: what they are used for is looked at, not all there is. */
function isListed(value: unknown): value is ListedSession {
  const { size, mtimeMs, summary } = (value ?? {}) as Partial<ListedSession>;
  return (
    typeof size === "number" &&
    typeof mtimeMs === "number" &&
    typeof summary === "object" &&
    typeof summary.sessionId === "string" &&
    typeof summary.title === "string" &&
    typeof summary.cwd === "string" &&
    Array.isArray(summary.members) &&
    typeof summary.updatedTs === "number" &&
    typeof summary.status === "string"
  );
}
