/**
 * Runs a search, newest first. The full-text index finds candidates; literals with punctuation are checked in the text.
 */
import type { SearchHit, SearchKind } from "../../../protocol/index.ts";
import { fact, firstIdAt } from "../indexing/schema.ts";
import type { Row, Statements } from "../indexing/statements.ts";
import { foldText } from "./parse-query.ts";
import { makeSnippet } from "./make-snippet.ts";
import { collapseBlanks, parseQuery, type Term } from "./parse-query.ts";

/** Texts read per search; beyond this the answer has `hasMore`. */
const CANDIDATES_MAX = 5_000;

export interface EntryQuery {
  readonly words: string;
  readonly member?: string | undefined;
  readonly sinceTs?: number | undefined;
  readonly tool?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly cwd?: string | undefined;
  readonly limit: number;
}

export interface SearchMatches {
  readonly hits: SearchHit[];
  readonly hasMore: boolean;
}

/**
 * Searches whole words first and prefixes only when those give too few hits: a prefix costs as much as there are words
 * that start with it. `sessionExists` filters sessions that are gone from disk but still indexed.
 */
export function findEntries(
  statements: Statements,
  query: EntryQuery,
  sessionExists: (sessionId: string) => boolean,
): SearchMatches {
  const terms = parseQuery(query.words);
  const narrowing = narrowingOf(statements, query);
  if (narrowing === undefined) return { hits: [], hasMore: false };
  const collector = new HitCollector(statements, query, terms, memoize(sessionExists));
  if (terms.some(({ isPrefix }) => isPrefix)) {
    const whole = terms.map((term) => Object.assign({}, term, { isPrefix: false }));
    collector.add(matchExpression(whole, narrowing));
  }
  if (!collector.hasMore) collector.add(matchExpression(terms, narrowing));
  const { hits, hasMore } = collector;
  return { hits: hits.sort((a, b) => b.ts - a.ts || b.eventSeq - a.eventSeq), hasMore };
}

class HitCollector {
  readonly hits: SearchHit[] = [];
  hasMore = false;
  readonly #statements: Statements;
  readonly #query: EntryQuery;
  readonly #terms: readonly Term[];
  readonly #sessionExists: (sessionId: string) => boolean;
  readonly #seen = new Set<number>();

  constructor(
    statements: Statements,
    query: EntryQuery,
    terms: readonly Term[],
    sessionExists: (sessionId: string) => boolean,
  ) {
    this.#statements = statements;
    this.#query = query;
    this.#terms = terms;
    this.#sessionExists = sessionExists;
  }

  /** Adds matches, newest first, up to the limit. */
  add(expression: string): void {
    const { sinceTs = 0, limit } = this.#query;
    const candidates = this.#statements.iterate(
      "SELECT rowid AS id FROM word WHERE word MATCH ? AND rowid >= ? ORDER BY rowid DESC",
      expression,
      firstIdAt(sinceTs),
    );
    for (const row of candidates) {
      const id = Number(row["id"]);
      if (this.#seen.has(id)) continue;
      if (this.hits.length === limit || this.#seen.size === CANDIDATES_MAX) {
        this.hasMore = true;
        return;
      }
      this.#seen.add(id);
      this.#addIfMatch(id, sinceTs);
    }
  }

  #addIfMatch(id: number, sinceTs: number): void {
    const row = this.#statements.get(
      `SELECT entry.*, session.sessionId, session.title, session.cwd FROM entry
       JOIN session ON session.id = entry.session WHERE entry.id = ? AND session.isLeaving = 0`,
      id,
    );
    if (row === undefined || Number(row["ts"]) < sinceTs || !this.#sessionExists(String(row["sessionId"]))) return;
    if (holds(String(row["text"]), this.#terms)) this.hits.push(hitOf(row, this.#terms));
  }
}

/** Undefined when the session or directory is not in the index. */
function narrowingOf(statements: Statements, { member, tool, sessionId, cwd }: EntryQuery): Narrowing | undefined {
  const session =
    sessionId === undefined ? undefined : statements.get("SELECT id FROM session WHERE sessionId = ?", sessionId);
  const directory = cwd === undefined ? undefined : statements.get("SELECT id FROM place WHERE cwd = ?", cwd);
  if ((sessionId !== undefined && session === undefined) || (cwd !== undefined && directory === undefined))
    return undefined;
  return {
    ...(session === undefined ? {} : { session: Number(session["id"]) }),
    ...(directory === undefined ? {} : { directory: Number(directory["id"]) }),
    ...(member === undefined ? {} : { member }),
    ...(tool === undefined ? {} : { tool }),
  };
}

export function holds(text: string, terms: readonly Term[]): boolean {
  const literals = terms.flatMap(({ literal }) => literal ?? []);
  if (literals.length === 0) return true;
  const folded = foldText(text);
  const collapsed = literals.some((literal) => literal.includes(" ")) ? collapseBlanks(folded) : folded;
  return literals.every((literal) => collapsed.includes(literal));
}

function hitOf(row: Row, terms: readonly Term[]): SearchHit {
  const { member, tool, turnId, messageId } = row;
  return {
    sessionId: String(row["sessionId"]),
    title: String(row["title"]),
    cwd: String(row["cwd"]),
    seq: Number(row["seq"]),
    eventSeq: Number(row["eventSeq"]),
    ts: Number(row["ts"]),
    kind: row["kind"] as SearchKind,
    ...(typeof member === "string" ? { member } : {}),
    ...(typeof tool === "string" ? { tool } : {}),
    ...(typeof turnId === "string" ? { turnId } : {}),
    ...(typeof messageId === "string" ? { messageId } : {}),
    ...makeSnippet(String(row["text"]), terms),
  };
}

function memoize(ask: (sessionId: string) => boolean): (sessionId: string) => boolean {
  const known = new Map<string, boolean>();
  return (sessionId) => {
    const answer = known.get(sessionId) ?? ask(sessionId);
    known.set(sessionId, answer);
    return answer;
  };
}

interface Narrowing {
  /** Row id of the session. */
  readonly session?: number;
  readonly directory?: number;
  readonly member?: string;
  readonly tool?: string;
}

/** FTS5 expression for terms and filters. Contains only folded letters and digits, so nothing needs escaping. */
export function matchExpression(terms: readonly Term[], narrowing: Narrowing): string {
  const { session, directory, member, tool } = narrowing;
  const facts = [
    ...(session === undefined ? [] : [fact("session", session)]),
    ...(directory === undefined ? [] : [fact("place", directory)]),
    ...(member === undefined ? [] : [fact("member", member)]),
    ...(tool === undefined ? [] : [fact("tool", tool)]),
  ];
  return [
    ...terms.filter(({ tokens }) => tokens.length > 0).map(termExpression),
    ...facts.map((one) => `facts : "${one}"`),
  ].join(" AND ");
}

/** Name parts are a separate column without word order: phrases are searched in the body alone. */
function termExpression({ tokens, isPrefix }: Term): string {
  const columns = tokens.length === 1 ? "{body parts}" : "body";
  return `${columns} : "${tokens.join(" ")}"${isPrefix ? " *" : ""}`;
}
