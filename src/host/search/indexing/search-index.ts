/**
 * The index over all sessions of a data directory. Synchronous, so a host uses it from a worker thread. A database file
 * that is damaged, deleted or replaced is closed, and the next use opens a new one; its content is read again from the
 * logs.
 */
import { RoundtableError } from "../../../protocol/index.ts";
import type { ReadingState } from "./entry.ts";
import { findEntries, type EntryQuery, type SearchMatches } from "../query/find-entries.ts";
import { openIndexFile, removeIndexFile, type IndexFile } from "./database-file.ts";
import { isDamage, isStoreError } from "./database-file.ts";
import { createStatLog, type LogStat, type StatLog } from "../../sessions/log-files.ts";
import { Statements, type Row } from "./statements.ts";
import { forgetSome, writeRanges, type IndexUpdate } from "./write-entries.ts";

export interface IndexedSession {
  readonly sessionId: string;
  readonly seq: number;
  readonly epoch: number;
  readonly state: ReadingState;
}

interface Open {
  readonly file: IndexFile;
  readonly statements: Statements;
}

export class SearchIndex {
  readonly #dataDir: string;
  readonly #statLog: StatLog;
  #open: Open | undefined;
  /** Incremented whenever another file is opened: whatever was being written into the old one must start over. */
  generation = 0;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.#statLog = createStatLog(dataDir);
  }

  /** The stat of each session's log when it was last read to its end; size -1 when it never was or is being removed. */
  logs(): Map<string, LogStat> {
    return this.#use(({ statements }) => {
      const rows = statements.all("SELECT sessionId, logSize, logTime, isLeaving FROM session");
      return new Map(
        rows.map((row) => {
          const size = row["isLeaving"] === 0 ? Number(row["logSize"]) : -1;
          return [String(row["sessionId"]), { size, mtimeMs: Number(row["logTime"]) }];
        }),
      );
    });
  }

  session(sessionId: string): IndexedSession | undefined {
    return this.#use(({ statements }) => {
      const row = statements.get("SELECT * FROM session WHERE sessionId = ? AND isLeaving = 0", sessionId);
      return row === undefined ? undefined : sessionOf(row);
    });
  }

  isLeaving(sessionId: string): boolean {
    return this.#use(
      ({ statements }) =>
        statements.get("SELECT id FROM session WHERE sessionId = ? AND isLeaving = 1", sessionId) !== undefined,
    );
  }

  /** False for each range whose predecessor is missing: that session must be read from its log. */
  write(updates: readonly IndexUpdate[]): boolean[] {
    return this.#use(({ statements }) => writeRanges(statements, updates));
  }

  /** Removes a session in bounded steps; true when nothing is left. */
  forgetSome(sessionId: string): boolean {
    return this.#use(({ statements }) => forgetSome(statements, sessionId));
  }

  find(query: EntryQuery): SearchMatches {
    return this.#use(({ statements }) => findEntries(statements, query, (id) => this.#statLog(id) !== undefined));
  }

  close(): void {
    this.#open?.file.close();
    this.#open = undefined;
  }

  #use<Result>(work: (open: Open) => Result): Result {
    try {
      return work(this.#current());
    } catch (error) {
      if (error instanceof RoundtableError || !isStoreError(error)) throw error;
      if (!isDamage(error)) throw unavailable(error);
      this.close();
      removeIndexFile(this.#dataDir);
      return work(this.#current());
    }
  }

  #current(): Open {
    if (this.#open?.file.isCurrent() === true) return this.#open;
    this.close();
    const file = openIndexFile(this.#dataDir);
    this.generation += 1;
    this.#open = { file, statements: new Statements(file.database) };
    return this.#open;
  }
}

function unavailable(error: unknown): RoundtableError {
  const reason = error instanceof Error ? error.message : String(error);
  return new RoundtableError("store_unavailable", `The search index is unavailable: ${reason}`, { cause: error });
}

function sessionOf(row: Row): IndexedSession {
  return {
    sessionId: String(row["sessionId"]),
    seq: Number(row["seq"]),
    epoch: Number(row["epoch"]),
    state: JSON.parse(String(row["state"])) as ReadingState,
  };
}
