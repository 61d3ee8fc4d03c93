/**
 * Tables of the index. All content is derived from the logs: a file of an older version is rebuilt, one of a newer
 * version is left alone.
 *
 * `entry.id` is the time in seconds times IDS_A_SECOND plus a counter, so that "newest first" and "not before" are
 * scans over the primary key. `facts` holds one token per filter value, so that a filter costs as much as one more
 * word.
 */
import type { DatabaseSync } from "node:sqlite";

export const SCHEMA_VERSION = 1;
export const IDS_A_SECOND = 1024;
/** The year 2100, in seconds: timestamps of imported logs may be arbitrary. */
const SECONDS_MAX = 4_102_444_800;

const TABLES = `
CREATE TABLE session (
  id INTEGER PRIMARY KEY,
  sessionId TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  cwd TEXT NOT NULL,
  seq INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  state TEXT NOT NULL,
  logSize INTEGER NOT NULL,
  logTime REAL NOT NULL,
  isLeaving INTEGER NOT NULL
);
CREATE TABLE place (id INTEGER PRIMARY KEY, cwd TEXT NOT NULL UNIQUE);
CREATE TABLE entry (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  eventSeq INTEGER NOT NULL,
  ts REAL NOT NULL,
  kind TEXT NOT NULL,
  member TEXT,
  tool TEXT,
  turnId TEXT,
  messageId TEXT,
  text TEXT NOT NULL
);
CREATE INDEX entry_session ON entry (session);
CREATE VIRTUAL TABLE word USING fts5(
  body, parts, facts,
  content='', contentless_delete=1, prefix='3', tokenize="unicode61 remove_diacritics 2"
);
PRAGMA user_version = ${SCHEMA_VERSION};
`;

export function makeTables(database: DatabaseSync): void {
  database.exec(`PRAGMA journal_mode = WAL; BEGIN; ${TABLES} COMMIT;`);
}

export function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
}

/** The lowest possible id at or after this time. */
export function firstIdAt(ts: number): number {
  const second = Math.floor(ts / 1000);
  return Math.min(Math.max(0, Number.isFinite(second) ? second : 0), SECONDS_MAX) * IDS_A_SECOND;
}

/** A token of the column `facts`: letters and digits only, for any value. */
export function fact(kind: "session" | "member" | "tool" | "place", value: string | number): string {
  const letters = typeof value === "number" ? value.toString(36) : Buffer.from(value.toLowerCase()).toString("hex");
  return `${kind[0] ?? ""}${letters}`;
}
