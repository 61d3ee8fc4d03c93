/**
 * List of all sessions of a data directory, newest first. An unreadable session is listed with a problem: one broken
 * log never fails the list. Summaries are cached by size and mtime of the log, in memory and in a derived file, so that
 * ten thousand sessions are listed with one stat each.
 */
import path from "node:path";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { loadOwnFile } from "../../kit/files/own-file.ts";
import type { SessionSummary } from "../../protocol/index.ts";
import { summaryOf } from "../../transcript/index.ts";
import { sessionsDir } from "../data-dir.ts";
import { holderOf } from "../maintenance/host-records.ts";
import { createStatLog, listSessionIds, type StatLog } from "./log-files.ts";
import type { OpenSessions } from "./open-sessions.ts";
import { readSummary } from "./summary-file.ts";
import type { TranscriptLoader } from "./transcript-loader.ts";

/** Parallel reads: enough to keep the disk busy. */
const READ_AT_ONCE = 16;
/** Stats before the event loop gets a turn: one or two milliseconds. */
const STATS_PER_TICK = 256;
/** The cache file is written when at least this many sessions had to be read. */
const CACHE_WRITE_MIN = 32;

export class SessionList {
  readonly #dataDir: string;
  readonly #open: OpenSessions;
  readonly #loader: Pick<TranscriptLoader, "transcript">;
  readonly #statLog: StatLog;
  /** Summaries with size and mtime of the log they were read from. */
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
    const ids = listSessionIds(this.#dataDir);
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

  /** Empty when there is no log, or the session was never fully created. */
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
      // Deleted meanwhile, or never fully created.
      if (["ENOENT", "unknown_session"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
      return [unreadable(sessionId, error)];
    }
  }

  /**
   * Undefined when it must be read: not cached, the log has changed, or a running turn may have died with its process.
   */
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

  /** An open turn of a dead process is not running; the next open records that in the log. */
  async #withoutGhosts(summary: SessionSummary): Promise<SessionSummary> {
    if (summary.status !== "running") return summary;
    const holder = await holderOf(this.#dataDir, summary.sessionId);
    return holder === "living" ? summary : { ...summary, status: "interrupted" };
  }
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

/** Incremented when summaries change for the same log. */
const FORMAT = 1;
/** A larger file is not ours. */
const BYTES_MAX = 256 * 1024 * 1024;

interface ListedSession {
  /** Size of the log it was read from. */
  readonly size: number;
  readonly mtimeMs: number;
  readonly summary: SessionSummary;
}

function listPath(dataDir: string): string {
  return path.join(sessionsDir(dataDir), "list.json");
}

/** Derived and written by any process, the last one wins. Empty when absent or unreadable. */
async function readListFile(dataDir: string): Promise<ListedSession[]> {
  try {
    const bytes = await loadOwnFile(listPath(dataDir));
    if (bytes.length > BYTES_MAX) return [];
    const { format, sessions } = JSON.parse(bytes.toString("utf8")) as { format?: unknown; sessions?: unknown };
    return format === FORMAT && Array.isArray(sessions) ? sessions.filter(isListed) : [];
  } catch {
    // Absent or damaged: every session is read.
    return [];
  }
}

/** Never rejects: the file is only a cache. */
async function writeListFile(dataDir: string, sessions: readonly ListedSession[]): Promise<void> {
  try {
    await writeFileAtomic(listPath(dataDir), `${JSON.stringify({ format: FORMAT, sessions })}\n`, { isDerived: true });
  } catch {
    // A full or read-only disk is reported elsewhere.
  }
}

/** Checks only the fields in use: ten thousand entries take a few milliseconds. */
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
