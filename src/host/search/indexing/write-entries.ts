/**
 * Writes to and deletes from the index. A session is written in ranges, in order; a range that is already present is
 * skipped, so several processes may write the same one.
 */
import type { LogStat } from "../../sessions/log-files.ts";
import { foldText, spaceLetters } from "../query/parse-query.ts";
import type { Entry, SessionRange } from "./entry.ts";
import { fact, firstIdAt, IDS_A_SECOND } from "./schema.ts";
import type { Row, Statements } from "./statements.ts";

/** A range and, when it reaches the end of the log, the stat of that log. */
export interface IndexUpdate {
  readonly range: SessionRange;
  readonly log?: LogStat;
}

interface FreshEntry {
  readonly entry: Entry;
  readonly session: number;
  readonly directory: number;
}

/** Rows that are deleted in one transaction. */
const DELETE_MAX = 500;

/**
 * False for each range whose predecessor is missing: that session must be read from its log. Uses one transaction,
 * because every commit is expensive for the full-text index.
 */
export function writeRanges(statements: Statements, updates: readonly IndexUpdate[]): boolean[] {
  return statements.write(() => {
    const fresh: FreshEntry[] = [];
    const answers = updates.map(({ range, log }) => {
      const isWritten = writeRange(statements, range, fresh);
      if (isWritten && log !== undefined) noteLog(statements, range.sessionId, log);
      return isWritten;
    });
    addEntries(statements, withoutRetracted(statements, fresh));
    return answers;
  });
}

function writeRange(statements: Statements, range: SessionRange, fresh: FreshEntry[]): boolean {
  const row = sessionRow(statements, range.sessionId);
  const known = Number(row["seq"]);
  if (row["isLeaving"] !== 0 || range.after > known) return false;
  if (range.upTo <= known) return true;
  const session = Number(row["id"]);
  const { title = String(row["title"]), cwd = String(row["cwd"]), upTo, epoch, state } = range;
  const directory = directoryIdOf(statements, cwd);
  for (const entry of range.entries) if (entry.eventSeq > known) fresh.push({ entry, session, directory });
  statements.run(
    "UPDATE session SET title = ?, cwd = ?, seq = ?, epoch = ?, state = ? WHERE id = ?",
    title,
    cwd,
    upTo,
    epoch,
    JSON.stringify(state),
    session,
  );
  return true;
}

function noteLog(statements: Statements, sessionId: string, { size, mtimeMs }: LogStat): void {
  statements.run("UPDATE session SET logSize = ?, logTime = ? WHERE sessionId = ?", size, mtimeMs, sessionId);
}

/** Deletes some entries of a session; true when none is left. From the first call on, searches skip the session. */
export function forgetSome(statements: Statements, sessionId: string): boolean {
  return statements.write(() => {
    const row = statements.get("SELECT id FROM session WHERE sessionId = ?", sessionId);
    if (row === undefined) return true;
    const session = Number(row["id"]);
    statements.run("UPDATE session SET isLeaving = 1 WHERE id = ?", session);
    const ids = statements.all("SELECT id FROM entry WHERE session = ? LIMIT ?", session, DELETE_MAX);
    for (const { id } of ids) removeEntry(statements, Number(id));
    if (ids.length === DELETE_MAX) return false;
    statements.run("DELETE FROM session WHERE id = ?", session);
    return true;
  });
}

function sessionRow(statements: Statements, sessionId: string): Row {
  const find = () => statements.get("SELECT * FROM session WHERE sessionId = ?", sessionId);
  const known = find();
  if (known !== undefined) return known;
  statements.run(
    `INSERT INTO session (sessionId, title, cwd, seq, epoch, state, logSize, logTime, isLeaving)
     VALUES (?, '', '', 0, 0, '{"turns":{},"calls":{}}', -1, -1, 0)`,
    sessionId,
  );
  return find() ?? {};
}

function directoryIdOf(statements: Statements, cwd: string): number {
  const find = () => statements.get("SELECT id FROM place WHERE cwd = ?", cwd)?.["id"];
  const known = find();
  if (known !== undefined) return Number(known);
  statements.run("INSERT INTO place (cwd) VALUES (?)", cwd);
  return Number(find());
}

/** Drops retracted texts from the new entries and from the index. */
function withoutRetracted(statements: Statements, fresh: readonly FreshEntry[]): readonly FreshEntry[] {
  const retractions = fresh.filter(({ entry }) => entry.retracts !== undefined);
  if (retractions.length === 0) return fresh;
  const keys = new Set(retractions.map(({ entry, session }) => `${session} ${entry.retracts}`));
  for (const { entry, session } of retractions) {
    const id = statements.get(
      "SELECT id FROM entry WHERE session = ? AND eventSeq = ? AND kind = 'text'",
      session,
      entry.retracts ?? 0,
    )?.["id"];
    if (id !== undefined) removeEntry(statements, Number(id));
  }
  return fresh.filter(
    ({ entry, session }) => entry.retracts === undefined && !keys.has(`${session} ${entry.eventSeq}`),
  );
}

function removeEntry(statements: Statements, id: number): void {
  statements.run("DELETE FROM word WHERE rowid = ?", id);
  statements.run("DELETE FROM entry WHERE id = ?", id);
}

/** In id order: the full-text index writes a batch in one go only when it is sorted. */
function addEntries(statements: Statements, fresh: readonly FreshEntry[]): void {
  const ids = new EntryIds(statements);
  const rows = fresh.map((one) => ({ id: ids.allocate(one.entry.ts), ...one })).sort((a, b) => a.id - b.id);
  for (const { id, entry, session, directory } of rows) {
    const { seq, eventSeq, ts, kind, member, tool, turnId, messageId, text } = entry;
    statements.run(
      `INSERT INTO entry (id, session, seq, eventSeq, ts, kind, member, tool, turnId, messageId, text)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      session,
      seq,
      eventSeq,
      ts,
      kind,
      member ?? null,
      tool ?? null,
      turnId ?? null,
      messageId ?? null,
      text,
    );
    const facts = [
      fact("session", session),
      fact("place", directory),
      ...(member === undefined ? [] : [fact("member", member)]),
      ...(tool === undefined ? [] : [fact("tool", tool)]),
    ];
    statements.run(
      "INSERT INTO word (rowid, body, parts, facts) VALUES (?, ?, ?, ?)",
      id,
      bodyOf(text),
      splitIdentifiers(text).join(" "),
      facts.join(" "),
    );
  }
}

/** Allocates ids in time order within one transaction. A full second overflows into the next. */
class EntryIds {
  readonly #statements: Statements;
  /** The next free id of each second seen, by the first id of that second. */
  readonly #next = new Map<number, number>();
  /** The second that a full one overflows into. */
  readonly #later = new Map<number, number>();

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  allocate(ts: number): number {
    const wanted = firstIdAt(ts);
    let second = this.#later.get(wanted) ?? wanted;
    while (this.#nextIn(second) >= second + IDS_A_SECOND) second += IDS_A_SECOND;
    if (second !== wanted) this.#later.set(wanted, second);
    const id = this.#nextIn(second);
    this.#next.set(second, id + 1);
    return id;
  }

  #nextIn(second: number): number {
    const known = this.#next.get(second);
    if (known !== undefined) return known;
    const row = this.#statements.get(
      "SELECT max(id) AS id FROM entry WHERE id >= ? AND id < ?",
      second,
      second + IDS_A_SECOND,
    );
    const last = row?.["id"];
    const next = typeof last === "number" ? last + 1 : second;
    this.#next.set(second, next);
    return next;
  }
}

/** Of letters and digits; matched in two steps, because one pattern for both takes quadratic time on a long run. */
const NAME = /[A-Za-z0-9]+/g;
/** Makes it a camel-case name: `takeLock`, `HTTPServer`, `parse2Lines`. */
const HUMP = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]/;
const NAMES_MAX = 5_000;

function bodyOf(text: string): string {
  return spaceLetters(foldText(text));
}

/** Parts of camel-case names, each once, in lower case: `takeLock` gives `take lock`. */
export function splitIdentifiers(text: string): string[] {
  const names = new Set<string>();
  for (const [name] of text.matchAll(NAME)) {
    if (!HUMP.test(name)) continue;
    for (const part of splitName(name)) names.add(part);
    if (names.size > NAMES_MAX) break;
  }
  return [...names];
}

function splitName(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(" ");
}
