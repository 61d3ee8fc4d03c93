/**
 * Listing and search, derived from the stored events behind the ingest. The node that claims a session continues from
 * the position of its view and writes entries, summary and position in one transaction. Everything can be rebuilt.
 */
import { parseQuery, type Entry, type Term } from "../../../host/index.ts";
import type { Clock } from "../../../kit/clock.ts";
import { SEARCH_LIMIT_DEFAULT, SessionSummary } from "../../../protocol/index.ts";
import type { SearchKind, SearchQuery } from "../../../protocol/index.ts";
import { toHit, toQuery, toVector } from "../search-text.ts";
import { SessionView, unreadableSummary, type SavedView } from "../session-view.ts";
import { TeamStoreError, type ListedSession, type StoredAnswer, type StoredHit, type Visible } from "../team-store.ts";
import type { Database, Queries, Row } from "./database.ts";
import { readEvents } from "./events.ts";

/** Debounce: events come in bursts and are derived together. */
const DERIVE_MS = 500;
/** Interval of the sweep for sessions that another node did not finish. */
const SWEEP_MS = 5_000;
const SWEEP_MAX = 100;
/** Reads in one transaction, at least: about 4,000 events or 8 MiB, so that a line of the list never waits for long. */
const STEP_READS = 8;

export interface Deriver {
  /** Events were stored. */
  touch(sessionId: string): void;
  close(): Promise<void>;
}

export function startDeriver(database: Database, clock: Clock): Deriver {
  const behind = new Set<string>();
  let isClosed = false;
  let working: Promise<void> | undefined;
  let cancelWork: (() => void) | undefined;
  let cancelSweep: (() => void) | undefined;

  const work = async (): Promise<void> => {
    for (const sessionId of behind) {
      if (isClosed) return;
      behind.delete(sessionId);
      if (!(await deriveOne(database, sessionId))) behind.add(sessionId);
    }
  };
  const schedule = (): void => {
    if (isClosed || behind.size === 0 || working !== undefined) return;
    cancelWork ??= clock.after(DERIVE_MS, () => {
      cancelWork = undefined;
      working = work().finally(() => {
        working = undefined;
        schedule();
      });
    });
  };
  const sweep = async (): Promise<void> => {
    // The next sweep retries while the database is unavailable.
    for (const id of await findBehind(database).catch(() => [])) behind.add(id);
    schedule();
  };
  const sweepLater = (ms: number): void => {
    cancelSweep = clock.after(ms, () => {
      void sweep().finally(() => {
        if (!isClosed) sweepLater(SWEEP_MS);
      });
    });
  };
  sweepLater(0);
  return {
    touch(sessionId) {
      behind.add(sessionId);
      schedule();
    },
    async close() {
      isClosed = true;
      cancelWork?.();
      cancelSweep?.();
      await working;
    },
  };
}

async function findBehind({ query }: Queries): Promise<string[]> {
  const rows = await query(`
    select session.id from roundtable.session left join roundtable.view on view.session = session.id
    where session.head > coalesce(view.seq, 0) limit ${SWEEP_MAX}`);
  return rows.map((row) => String(row["id"]));
}

/** True when there is nothing more to do for now. What fails is found again by a sweep; stored events are not concerned. */
async function deriveOne(database: Database, sessionId: string): Promise<boolean> {
  try {
    return await deriveStep(database, sessionId);
  } catch (error) {
    const isOfDatabase = error instanceof TeamStoreError && error.code !== "internal" && error.code !== "damaged";
    // Retried with the next events; until then it must not hold up other sessions.
    if (!isOfDatabase && error !== REPLACED) await markUnreadable(database, sessionId).catch(() => {});
    return true;
  }
}

const REPLACED = new Error("the session's events were replaced while they were derived");

async function markUnreadable({ query }: Queries, sessionId: string): Promise<void> {
  const [session] = await query({ text: "select head from roundtable.session where id = $1", values: [sessionId] });
  const seq = Number(session?.["head"] ?? 0);
  await query({
    text: `${WRITE_VIEW} where view.seq < excluded.seq`,
    values: [sessionId, seq, JSON.stringify(unreadableSummary({ sessionId, seq })), ""],
  });
}

/** The time is that of the write, not of the transaction: nodes ask for lines that are newer than those they know. */
const WRITE_VIEW = `insert into roundtable.view (session, seq, summary, saved, changed)
  values ($1, $2, $3, $4, clock_timestamp())
  on conflict (session) do update
    set seq = excluded.seq, summary = excluded.summary, saved = excluded.saved, changed = excluded.changed`;

/** True when nothing is left to derive, or another node holds the claim. */
async function deriveStep(database: Database, sessionId: string): Promise<boolean> {
  return database.transaction(async (queries) => {
    const [session] = await queries.query({
      text: `select session.head, session.replacements, view.saved from roundtable.session
        left join roundtable.view on view.session = session.id
        where session.id = $1 and pg_try_advisory_xact_lock(hashtextextended($1, 29))`,
      values: [sessionId],
    });
    if (session === undefined) return true;
    const view = new SessionView(sessionId, savedOf(session));
    const isAnew = view.seq === 0;
    const entries = await readInto(view, queries, sessionId);
    if (isAnew) await queries.query({ text: "delete from roundtable.entry where session = $1", values: [sessionId] });
    await writeEntries(queries, sessionId, entries);
    // A writer that replaces events holds this row lock and has raised the counter when it is released.
    const [unchanged] = await queries.query({
      text: "select 1 from roundtable.session where id = $1 and replacements = $2 for share",
      values: [sessionId, session["replacements"]],
    });
    if (unchanged === undefined) throw REPLACED;
    await queries.query({
      text: WRITE_VIEW,
      values: [sessionId, view.seq, JSON.stringify(view.summary), JSON.stringify(view.saved)],
    });
    return view.seq >= Number(session["head"]);
  });
}

async function readInto(view: SessionView, queries: Queries, sessionId: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  const { seq: start } = view;
  const [row] = await queries.query({
    text: "select epoch from roundtable.event where session = $1 and seq = $2",
    values: [sessionId, view.readAfter],
  });
  // No event has the seq of a position inside a damaged range; reading then starts from the beginning.
  const after = row === undefined ? 0 : view.readAfter;
  let reads = 0;
  for await (const events of readEvents(queries, sessionId, { epoch: Number(row?.["epoch"] ?? 0), seq: after })) {
    entries.push(...view.add(events));
    reads += 1;
    if (reads >= STEP_READS && view.seq > start) break;
  }
  return entries;
}

async function writeEntries({ query }: Queries, sessionId: string, entries: readonly Entry[]): Promise<void> {
  const retracted = new Set(entries.flatMap(({ retracts }) => retracts ?? []));
  if (retracted.size > 0) {
    await query({
      text: "delete from roundtable.entry where session = $1 and kind = 'text' and event_seq = any($2::bigint[])",
      values: [sessionId, [...retracted]],
    });
  }
  const added = entries.filter(
    ({ retracts, kind, eventSeq }) => retracts === undefined && !(kind === "text" && retracted.has(eventSeq)),
  );
  if (added.length === 0) return;
  const rows = added.map((entry) => Object.assign({}, entry, { lexemes: toVector(entry.text) }));
  await query({
    text: `insert into roundtable.entry
        (session, event_seq, kind, seq, ts, member, sender, tool, turn_id, message_id, text, lexemes)
      select $1, "eventSeq", kind, seq, ts, member, sender, tool, "turnId", "messageId", text, lexemes::tsvector
      from json_to_recordset($2) as entry ("eventSeq" bigint, kind text, seq bigint, ts double precision, member text,
        sender text, tool text, "turnId" text, "messageId" text, text text, lexemes text)
      on conflict do nothing`,
    values: [sessionId, JSON.stringify(rows)],
  });
}

export async function listSessions({ query }: Queries, { sessionIds }: Visible): Promise<ListedSession[]> {
  const rows = await query({
    text: `select session.runner, view.summary from roundtable.view join roundtable.session on session.id = view.session
      where $1::text[] is null or view.session = any($1)
      order by (view.summary ->> 'updatedTs')::double precision desc`,
    values: [sessionIds ?? null],
  });
  return rows.map((row) => ({ runnerId: String(row["runner"]), summary: SessionSummary.parse(row["summary"]) }));
}

export interface DirectoryRow extends ListedSession {
  readonly answersOpen: boolean;
  readonly changedTs: number;
}

/** Longer than a commit takes: a line may become visible after a later one. */
const OVERLAP_MS = 10_000;

export interface Directory {
  readonly rows: readonly DirectoryRow[];
  /** Sessions whose copies were deleted after the given time. */
  readonly gone: readonly string[];
}

export async function readDirectory({ query }: Queries, changedAfterTs?: number): Promise<Directory> {
  const afterTs = changedAfterTs === undefined ? null : changedAfterTs - OVERLAP_MS;
  const gone = await query({
    name: "gone",
    text: `select session from roundtable.gone where at > to_timestamp($1::double precision / 1000)
      and not exists (select from roundtable.view where view.session = gone.session)`,
    values: [afterTs],
  });
  const rows = await query({
    text: `select session.runner, session.answers_open, view.summary, extract(epoch from view.changed) * 1000 as changed
      from roundtable.view join roundtable.session on session.id = view.session
      where $1::double precision is null or view.changed > to_timestamp($1 / 1000)`,
    values: [afterTs],
  });
  const read = rows.map((row) => ({
    runnerId: String(row["runner"]),
    summary: row["summary"] as SessionSummary,
    answersOpen: row["answers_open"] === true,
    changedTs: Number(row["changed"]),
  }));
  return { rows: read, gone: gone.map((row) => String(row["session"])) };
}

export async function readSaved({ query }: Queries, sessionId: string): Promise<SavedView | undefined> {
  const [row] = await query({ text: "select saved from roundtable.view where session = $1", values: [sessionId] });
  return savedOf(row);
}

/** Empty for a session that cannot be folded. */
function savedOf(row: Row | undefined): SavedView | undefined {
  const saved = row?.["saved"];
  return typeof saved === "string" && saved !== "" ? (JSON.parse(saved) as SavedView) : undefined;
}

/** Rows read per search; beyond this the answer has `hasMore`. */
const CANDIDATES_MAX = 5_000;
const CHUNK = 250;

const SEARCH = `
  select entry.*, view.summary ->> 'title' as title, view.summary ->> 'cwd' as cwd
  from roundtable.entry join roundtable.view on view.session = entry.session
  where entry.lexemes @@ $1::tsquery and entry.ts >= $2
    and ($3::text[] is null or entry.session = any($3))
    and ($4::text is null or entry.session = $4)
    and ($5::text is null or entry.member = $5)
    and ($6::text is null or entry.tool = $6)
    and ($7::text is null or view.summary ->> 'cwd' = $7)
  order by entry.ts desc, entry.event_seq desc, entry.session, entry.kind`;

export async function searchEntries(
  queries: Queries,
  query: SearchQuery,
  { sessionIds }: Visible,
): Promise<StoredAnswer> {
  const { member, tool, sessionId, cwd, sinceTs = 0, limit = SEARCH_LIMIT_DEFAULT } = query;
  const terms = parseQuery(query["words"]);
  const narrowed = [toQuery(terms), sinceTs, sessionIds, sessionId, member, tool, cwd].map((value) => value ?? null);
  const hits: StoredHit[] = [];
  let hasMore = false;
  for (let offset = 0; hits.length <= limit && !hasMore; offset += CHUNK) {
    const rows = await queries.query({ text: `${SEARCH} limit ${CHUNK} offset ${offset}`, values: narrowed });
    for (const row of rows) hits.push(...hitOf(row, terms));
    if (rows.length < CHUNK) break;
    hasMore = offset + CHUNK >= CANDIDATES_MAX;
  }
  const behind = await findBehind(queries);
  return {
    hits: hits.slice(0, limit),
    hasMore: hasMore || hits.length > limit,
    isComplete: behind.length === 0,
    sessionsLeft: behind.length,
  };
}

function hitOf(row: Row, terms: readonly Term[]): StoredHit[] {
  const text = (name: string) => (typeof row[name] === "string" ? row[name] : undefined);
  const optional = {
    member: text("member"),
    sender: text("sender"),
    tool: text("tool"),
    turnId: text("turn_id"),
    messageId: text("message_id"),
  };
  const entry = {
    seq: Number(row["seq"]),
    eventSeq: Number(row["event_seq"]),
    ts: Number(row["ts"]),
    kind: row["kind"] as SearchKind,
    text: String(row["text"]),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  };
  const session = { sessionId: String(row["session"]), title: String(row["title"]), cwd: String(row["cwd"]) };
  const hit = toHit(session, entry, terms);
  return hit === undefined ? [] : [hit];
}
