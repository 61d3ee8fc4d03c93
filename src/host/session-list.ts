/**
 * All sessions of a data directory, newest first. One that cannot be read is listed with what is known of it: a listing
 * never fails because of one broken log.
 */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { isUlid } from "../kit/ids.ts";
import type { SessionSummary } from "../protocol/index.ts";
import { summaryOf } from "../transcript/index.ts";
import { holderOf } from "./host-records.ts";
import type { OpenSessions } from "./open-sessions.ts";
import { readTranscript } from "./read-session.ts";
import { logBytesOf, readSummary } from "./summary-file.ts";

/** Enough to keep the disk busy without opening thousands of files at once. */
const READ_AT_ONCE = 16;
const LOG_SUFFIX = ".jsonl";

export class SessionList {
  readonly #dataDir: string;
  readonly #open: OpenSessions;
  /** What was read, with the size of the log it was read from. */
  readonly #known = new Map<string, { logBytes: number; summary: SessionSummary }>();

  constructor(dataDir: string, open: OpenSessions) {
    this.#dataDir = dataDir;
    this.#open = open;
  }

  async read(): Promise<SessionSummary[]> {
    const ids = await sessionIds(this.#dataDir);
    const present = new Set(ids);
    for (const sessionId of this.#known.keys()) if (!present.has(sessionId)) this.#known.delete(sessionId);
    const summaries: SessionSummary[] = [];
    const waiting = ids.values();
    await Promise.all(
      Array.from({ length: READ_AT_ONCE }, async () => {
        for (const sessionId of waiting) summaries.push(...(await this.readOne(sessionId)));
      }),
    );
    return summaries.sort((a, b) => b.updatedTs - a.updatedTs || (a.sessionId < b.sessionId ? 1 : -1));
  }

  /** Empty when there is no log, or one without a single event: a session that was never finished being made. */
  async readOne(sessionId: string): Promise<SessionSummary[]> {
    const local = this.#open.get(sessionId);
    if (local !== undefined) return [local.summary()];
    try {
      const logBytes = await logBytesOf(this.#dataDir, sessionId);
      if (logBytes === 0) return [];
      const known = this.#known.get(sessionId);
      const summary =
        (known?.logBytes === logBytes ? known.summary : undefined) ??
        (await readSummary(this.#dataDir, sessionId, logBytes)) ??
        summaryOf(await readTranscript(this.#dataDir, sessionId));
      this.#known.set(sessionId, { logBytes, summary });
      return [await this.#withoutGhosts(summary)];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      return [unreadable(sessionId, error)];
    }
  }

  /** A turn that is open in the log of a process that died does not run: the next open will say so in the log. */
  async #withoutGhosts(summary: SessionSummary): Promise<SessionSummary> {
    if (summary.status !== "running") return summary;
    const holder = await holderOf(this.#dataDir, summary.sessionId);
    return holder === "living" ? summary : { ...summary, status: "interrupted" };
  }
}

/** The ids of all logs, in the order they were made. */
export async function sessionIds(dataDir: string): Promise<string[]> {
  const names = await readdir(path.join(dataDir, "logs")).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names
    .filter((name) => name.endsWith(LOG_SUFFIX))
    .map((name) => name.slice(0, -LOG_SUFFIX.length))
    .filter(isUlid)
    .sort();
}

function unreadable(sessionId: string, error: unknown): SessionSummary {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    sessionId,
    title: "(cannot be read)",
    cwd: "",
    members: [],
    messages: 0,
    turns: 0,
    createdTs: 0,
    updatedTs: 0,
    archived: false,
    status: "interrupted",
    seq: 0,
    problem: reason,
  };
}
