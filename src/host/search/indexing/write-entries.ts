/**
 * What goes into the index and out of it. A session is taken in stretches, in order; what is in already is not taken
 * again, so any number of processes may bring the same stretch.
 */
import type { Entry, SessionRange } from "./entry.ts";
import { EntryIds } from "./entry-ids.ts";
import { fact } from "./schema.ts";
import { bodyOf, splitIdentifiers } from "./indexed-text.ts";
import type { LogStat } from "../../sessions/log-files.ts";
import type { Row, Statements } from "./statements.ts";

/** A stretch, and the log as it was when it was read to its end with it. */
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
 * Each is false when something before it is missing: then that session must be read from its log. All in one transaction,
 * because the full-text index pays for each.
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

/** Some of what the index has of a session; true when nothing is left. At the first call nothing of it is found any more. */
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

/** What was taken back was never said; where it is in the index already, it goes. */
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

/** In the order of their ids: the full-text index writes a batch at once only if it is given so. */
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
