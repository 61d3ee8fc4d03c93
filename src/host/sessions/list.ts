/**
 * All sessions of a data directory, newest first. One that cannot be read is listed with what is known of it: a listing
 * never fails because of one broken log. What was read once is known by the size and time of its log, here and, by a
 * derived file, in the next process, so that ten thousand sessions are listed by looking at their names.
 */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { sessionIdsAmong } from "../../log/index.ts";
import type { SessionSummary } from "../../protocol/index.ts";
import { summaryOf } from "../../transcript/index.ts";
import { holderOf } from "../maintenance/host-records.ts";
import { readListFile, writeListFile, type ListedSession } from "./list-cache.ts";
import type { OpenSessions } from "./open-sessions.ts";
import { createStatLog, type StatLog } from "./log-files.ts";
import type { TranscriptLoader } from "./transcript-loader.ts";
import { readSummary } from "./summary-file.ts";

/** Enough to keep the disk busy without opening thousands of files at once. */
const READ_AT_ONCE = 16;
/** Logs that are looked at before others get a turn: a millisecond or two. */
const STATS_PER_TICK = 256;
/** From so many sessions on that had to be read, what was learned is kept for the next process. */
const CACHE_WRITE_MIN = 32;

export class SessionList {
  readonly #dataDir: string;
  readonly #open: OpenSessions;
  readonly #loader: Pick<TranscriptLoader, "transcript">;
  readonly #statLog: StatLog;
  /** What was read, with the size and time of the log it was read from. */
  #known = new Map<string, ListedSession>();
  #loading: Promise<void> | undefined;

  constructor(dataDir: string, open: OpenSessions, loader: Pick<TranscriptLoader, "transcript">) {
    this.#dataDir = dataDir;
    this.#open = open;
    this.#loader = loader;
    this.#statLog = createStatLog(dataDir);
  }

  async read(): Promise<SessionSummary[]> {
    await (this.#loading ??= this.#load());
    const ids = await sessionIds(this.#dataDir);
    const present = new Set(ids);
    for (const sessionId of this.#known.keys()) if (!present.has(sessionId)) this.#known.delete(sessionId);
    const summaries: SessionSummary[] = [];
    const unread: string[] = [];
    for (const [at, sessionId] of ids.entries()) {
      if (at > 0 && at % STATS_PER_TICK === 0) await new Promise((resolve) => setImmediate(resolve));
      const known = this.#knownOf(sessionId);
      if (known === undefined) unread.push(sessionId);
      else summaries.push(known);
    }
    const waiting = unread.values();
    await Promise.all(
      Array.from({ length: READ_AT_ONCE }, async () => {
        for (const sessionId of waiting) summaries.push(...(await this.readOne(sessionId)));
      }),
    );
    if (unread.length >= CACHE_WRITE_MIN) await writeListFile(this.#dataDir, [...this.#known.values()]);
    return summaries.sort((a, b) => b.updatedTs - a.updatedTs || (a.sessionId < b.sessionId ? 1 : -1));
  }

  /** Empty when there is no log, or one of a session that was never finished being made. */
  async readOne(sessionId: string): Promise<SessionSummary[]> {
    const local = this.#open.get(sessionId);
    if (local !== undefined) return [local.summary()];
    try {
      const log = this.#statLog(sessionId);
      if (log === undefined || log.size === 0) return [];
      const known = this.#knownOf(sessionId);
      if (known !== undefined) return [known];
      const summary =
        (await readSummary(this.#dataDir, sessionId, log.size)) ?? summaryOf(await this.#loader.transcript(sessionId));
      this.#known.set(sessionId, { ...log, summary });
      return [await this.#withoutGhosts(summary)];
    } catch (error) {
      // Gone meanwhile, or never finished.
      if (["ENOENT", "unknown_session"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
      return [unreadable(sessionId, error)];
    }
  }

  /** Undefined when it must be read: nothing is known, the log has changed, or a turn of it may have died with its process. */
  #knownOf(sessionId: string): SessionSummary | undefined {
    const local = this.#open.get(sessionId);
    if (local !== undefined) return local.summary();
    const known = this.#known.get(sessionId);
    if (known === undefined || known.summary.status === "running") return undefined;
    const log = this.#statLog(sessionId);
    return log?.size === known.size && log.mtimeMs === known.mtimeMs ? known.summary : undefined;
  }

  async #load(): Promise<void> {
    const cached = await readListFile(this.#dataDir);
    this.#known = new Map(cached.map((one) => [one.summary.sessionId, one]));
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
  return sessionIdsAmong(names);
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
