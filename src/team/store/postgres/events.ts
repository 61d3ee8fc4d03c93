/** Copies of logs in PostgreSQL: the fenced insert of a batch, and reading by cursor. */
import type { Cursor, SessionEvent } from "../../../protocol/index.ts";
import { checkWriter, compareBatch, decodeEvent, encodeBatch, type EncodedEvent } from "../batch.ts";
import type { StoredBatch } from "../tail.ts";
import { START, TeamStoreError, type Writer } from "../team-store.ts";
import { bump } from "./access.ts";
import type { Database, Queries, Row } from "./database.ts";

/** Of one read; whichever is reached first. */
const READ_EVENTS_MAX = 512;
const READ_BYTES_MAX = 1024 * 1024;

/** One round trip and one transaction: the head moves from exactly the expected seq, or nothing happens. */
const APPEND = {
  name: "append",
  text: `
    with fenced as (
      update roundtable.session set head = $5, head_epoch = $6, epoch = $3
      where id = $1 and runner = $2 and epoch <= $3 and head = $4 and head_epoch <= $7
      returning id
    ), inserted as (
      insert into roundtable.event (session, seq, epoch, crc, body)
      select fenced.id, line.seq, line.epoch, line.crc, line.body
      from fenced, unnest($8::bigint[], $9::bigint[], $10::bigint[], string_to_array($11, E'\\n'))
        as line (seq, epoch, crc, body)
    )
    select id from fenced`,
};

export interface Ingested {
  readonly head: Cursor;
  /** False for repeats. */
  readonly isChanged: boolean;
}

export async function ingestEvents(
  database: Database,
  writer: Writer,
  events: readonly SessionEvent[],
): Promise<Ingested> {
  const batch = encodeBatch(writer, events);
  const [first] = batch;
  if (first !== undefined && first.fromSeq > 1 && (await append(database, writer, batch, first.fromSeq - 1)))
    return { head: endOf(batch), isChanged: true };
  return database.transaction((queries) => ingestSlowly(queries, writer, batch));
}

/** False when the session is not where the batch begins, or belongs to another writer. */
async function append(
  { query }: Queries,
  { sessionId, runnerId, epoch }: Writer,
  batch: readonly EncodedEvent[],
  expectedHead: number,
): Promise<boolean> {
  const head = endOf(batch);
  const rows = await query({
    ...APPEND,
    values: [
      sessionId,
      runnerId,
      epoch,
      expectedHead,
      head.seq,
      head.epoch,
      batch[0]?.epoch,
      arrayOf(batch, "seq"),
      arrayOf(batch, "epoch"),
      arrayOf(batch, "crc"),
      batch.map(({ body }) => body).join("\n"),
    ],
  });
  return rows.length > 0;
}

/** The first batch of a session, repeats, replacements and refusals: everything that is not the usual case. */
async function ingestSlowly(queries: Queries, writer: Writer, batch: readonly EncodedEvent[]): Promise<Ingested> {
  const { query } = queries;
  const { sessionId, runnerId, epoch } = writer;
  await query({
    text: `insert into roundtable.session (id, runner, epoch, head, head_epoch) values ($1, $2, 0, 0, 0)
      on conflict (id) do nothing`,
    values: [sessionId, runnerId],
  });
  const [row] = await query({ text: "select * from roundtable.session where id = $1 for update", values: [sessionId] });
  const head = { epoch: Number(row?.["head_epoch"]), seq: Number(row?.["head"]) };
  const [first] = batch;
  checkWriter(writer, { runnerId: String(row?.["runner"]), epoch: Number(row?.["epoch"]), head }, first);
  const stored = first === undefined ? [] : await storedBetween(queries, sessionId, first.seq, endOf(batch).seq);
  const { replaceFrom, fresh } = compareBatch(batch, head, new Map(stored.map((one) => [one.seq, one])));
  const start = replaceFrom === undefined ? head : await removeFrom(queries, sessionId, replaceFrom);
  if (fresh.length === 0) {
    await query({ text: "update roundtable.session set epoch = $2 where id = $1", values: [sessionId, epoch] });
    return { head, isChanged: false };
  }
  if (!(await append(queries, writer, fresh, start.seq)))
    throw new TeamStoreError("internal", `Session ${sessionId} moved although it was locked.`);
  return { head: endOf(fresh), isChanged: true };
}

async function storedBetween({ query }: Queries, sessionId: string, from: number, to: number) {
  const rows = await query({
    text: "select seq, epoch, crc from roundtable.event where session = $1 and seq between $2 and $3",
    values: [sessionId, from, to],
  });
  return rows.map((row) => ({ seq: Number(row["seq"]), epoch: Number(row["epoch"]), crc: Number(row["crc"]) }));
}

/** Removes events from this seq on, and everything derived from the session. Resolves with the new head. */
async function removeFrom({ query }: Queries, sessionId: string, seq: number): Promise<Cursor> {
  const values = [sessionId];
  await query({ text: "delete from roundtable.event where session = $1 and seq >= $2", values: [sessionId, seq] });
  await query({ text: "delete from roundtable.entry where session = $1", values });
  await query({ text: "delete from roundtable.view where session = $1", values });
  const [row] = await query({
    text: "select seq, epoch from roundtable.event where session = $1 order by seq desc limit 1",
    values,
  });
  const head = row === undefined ? START : { epoch: Number(row["epoch"]), seq: Number(row["seq"]) };
  await query({
    text: `update roundtable.session set head = $2, head_epoch = $3, replacements = replacements + 1 where id = $1`,
    values: [sessionId, head.seq, head.epoch],
  });
  return head;
}

export interface StoredHead {
  readonly runnerId: string;
  readonly head: Cursor;
}

export async function readHead({ query }: Queries, sessionId: string): Promise<StoredHead | undefined> {
  const [row] = await query({
    name: "head",
    text: "select runner, head, head_epoch from roundtable.session where id = $1",
    values: [sessionId],
  });
  if (row === undefined) return undefined;
  return { runnerId: String(row["runner"]), head: { epoch: Number(row["head_epoch"]), seq: Number(row["head"]) } };
}

/**
 * The copy of this runner's session, with everything that hangs on it in the database. Where there is none, files that came
 * before its first event or after it was deleted. False when it is the copy of another runner.
 */
export async function forgetSession(
  database: Database,
  { sessionId, runnerId }: Pick<Writer, "sessionId" | "runnerId">,
): Promise<boolean> {
  return await database.transaction(async (queries) => {
    const { query } = queries;
    const gone = await query({
      text: "delete from roundtable.session where id = $1 and runner = $2 returning id",
      values: [sessionId, runnerId],
    });
    if (gone.length === 0) {
      const others = await query({ text: "select 1 from roundtable.session where id = $1", values: [sessionId] });
      if (others.length > 0) return false;
      await query({ text: "delete from roundtable.blob where session = $1", values: [sessionId] });
      return true;
    }
    for (const name of ["event", "entry", "view", "blob", "access", "command"])
      await query({ text: `delete from roundtable.${name} where session = $1`, values: [sessionId] });
    // Otherwise nodes would go on with the roles on it, also when it is shared again.
    await bump(queries);
    await query("delete from roundtable.gone where at < now() - interval '1 hour'");
    await query({
      text: `insert into roundtable.gone (session, at) values ($1, clock_timestamp())
        on conflict (session) do update set at = excluded.at`,
      values: [sessionId],
    });
    return true;
  });
}

function endOf(batch: readonly EncodedEvent[]): Cursor {
  const last = batch.at(-1);
  return last === undefined ? START : { epoch: last.epoch, seq: last.seq };
}

/** Numbers as the text of an array: the client would quote and escape each of them. */
function arrayOf(batch: readonly EncodedEvent[], key: "seq" | "epoch" | "crc"): string {
  return `{${batch.map((event) => event[key]).join(",")}}`;
}

/** The event at the cursor comes first: it proves that the reader's position still exists. */
const READ = {
  name: "read",
  text: `
    select seq, epoch, crc, body from (
      select *, sum(octet_length(body)) over (order by seq) - octet_length(body) as before
      from (
        select seq, epoch, crc, body from roundtable.event
        where session = $1 and seq >= $2 order by seq limit ${READ_EVENTS_MAX + 1}
      ) as ahead
    ) as measured where before < ${READ_BYTES_MAX} order by seq`,
};

/** Refuses with `unknown_session` and `unknown_cursor`. */
export async function readBatch(queries: Queries, sessionId: string, cursor: Cursor): Promise<StoredBatch> {
  if (cursor.seq === 0) await expectSession(queries, sessionId, START);
  const rows = await queries.query({ ...READ, values: [sessionId, cursor.seq] });
  const events = rows.map((row) => decodeRow(sessionId, row));
  if (cursor.seq > 0) {
    const at = events.shift();
    if (at?.seq !== cursor.seq || at.epoch !== cursor.epoch) await expectSession(queries, sessionId, cursor);
    if (at?.seq !== cursor.seq || at.epoch > cursor.epoch) throw unknownCursor(sessionId);
  }
  return { events, isWhole: events.length === 0 || isWhole(rows) };
}

export async function* readEvents(
  queries: Queries,
  sessionId: string,
  cursor: Cursor,
): AsyncGenerator<readonly SessionEvent[], void, void> {
  let position = cursor;
  for (;;) {
    const { events, isWhole: isLast } = await readBatch(queries, sessionId, position);
    const last = events.at(-1);
    if (last === undefined) return;
    yield events;
    if (isLast) return;
    position = { epoch: last.epoch, seq: last.seq };
  }
}

/** Whether neither limit was reached: there was nothing more to read. A UTF-16 unit is at most three bytes. */
function isWhole(rows: readonly Row[]): boolean {
  const chars = rows.reduce((sum, row) => sum + String(row["body"]).length, 0);
  return rows.length < READ_EVENTS_MAX && chars * 3 < READ_BYTES_MAX;
}

async function expectSession({ query }: Queries, sessionId: string, cursor: Cursor): Promise<void> {
  const [row] = await query({
    name: "session",
    text: "select epoch from roundtable.session where id = $1",
    values: [sessionId],
  });
  if (row === undefined) throw new TeamStoreError("unknown_session", `There is no session ${sessionId}.`);
  if (cursor.epoch > Number(row["epoch"])) throw unknownCursor(sessionId);
}

function unknownCursor(sessionId: string): TeamStoreError {
  return new TeamStoreError("unknown_cursor", `Session ${sessionId} does not have this position.`);
}

function decodeRow(sessionId: string, row: Row): SessionEvent {
  return decodeEvent(sessionId, {
    seq: Number(row["seq"]),
    epoch: Number(row["epoch"]),
    crc: Number(row["crc"]),
    body: String(row["body"]),
  });
}
