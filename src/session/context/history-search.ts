/**
 * Host tool `history_search`: searches the log for members that no longer have something in context. Reads from the
 * beginning (or the last clear), within stated limits. A member finds what it could have seen: messages, its own calls,
 * outputs and exchanges; not the tool output of others.
 */
import type { EventLog } from "../../log/index.ts";
import type { Json, SessionEvent } from "../../protocol/index.ts";
import {
  HISTORY_ENTRY_CHARS_MAX,
  HISTORY_EVENTS_MAX,
  HISTORY_EXCERPT_CHARS,
  HISTORY_MATCHES_MAX,
  HISTORY_MS_MAX,
} from "../limits.ts";
import type { SessionState } from "../state.ts";

export interface HistoryQuestion {
  /** Who searches. */
  readonly member: string;
  readonly query?: string | undefined;
  readonly by?: string | undefined;
  readonly seq?: number | undefined;
  readonly limit?: number | undefined;
}

interface HistoryEntry {
  readonly by: string;
  readonly what: string;
  readonly text: string;
}

/** The newest matches, oldest first. Never rejects: errors are the result. */
export async function searchHistory(
  state: SessionState,
  question: HistoryQuestion,
): Promise<{ result: Json; error: string | null }> {
  const { log, transcript } = state.ledger;
  const { clearedSeq } = transcript.head;
  try {
    await state.ledger.committed();
    if (question.seq !== undefined) return await readOne(log, question.seq, { ...question, clearedSeq });
    const terms = (question.query ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    if (terms.length === 0) return { result: null, error: "history_search needs a query, or the seq of an entry." };
    return { result: await findMatches(state, terms, { ...question, clearedSeq }), error: null };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { result: null, error: `The log could not be searched: ${why}` };
  }
}

interface Search extends HistoryQuestion {
  readonly clearedSeq: number;
}

async function findMatches(state: SessionState, terms: readonly string[], search: Search): Promise<Json> {
  const { member, by, limit, clearedSeq } = search;
  const { log } = state.ledger;
  const untilMs = state.clock.monotonic() + HISTORY_MS_MAX;
  const matches: Match[] = [];
  const most = Math.min(limit ?? HISTORY_MATCHES_MAX, HISTORY_MATCHES_MAX);
  let matchCount = 0;
  let read = 0;
  let isCut = false;
  const own = createOwnCalls();
  for await (const events of log.read(clearedSeq)) {
    for (const event of events) {
      matchCount -= removeRetracted(matches, event);
      const entry = own.isOne(event) ? undefined : entryOf(event, member);
      if (entry === undefined || (by !== undefined && entry.by !== by)) continue;
      const at = matchIndex(entry.text, terms);
      if (at < 0) continue;
      matchCount += 1;
      const segmentId = event.type === "text_done" ? event.segmentId : undefined;
      matches.push({ segmentId, shown: { ...factsOf(event, entry), excerpt: excerptAt(entry.text, at) } });
      if (matches.length > most + RETRACTED_MAX) matches.shift();
    }
    read += events.length;
    isCut = read >= HISTORY_EVENTS_MAX || state.clock.monotonic() > untilMs;
    if (isCut) break;
  }
  const note = isCut
    ? `The log is long; only its first ${read} events were searched. Use a more specific query.`
    : undefined;
  const shown = matches.slice(-most).map((match) => match.shown);
  return { found: matchCount, shown: shown.length, matches: shown, ...(note === undefined ? {} : { note }) };
}

interface Match {
  readonly segmentId: string | undefined;
  readonly shown: Json;
}

/** Spare matches for texts that are retracted later. */
const RETRACTED_MAX = 50;

/** Retracted text does not count. Returns how many matches were removed. */
function removeRetracted(matches: Match[], event: SessionEvent): number {
  if (event.type !== "text_retracted") return 0;
  const at = matches.findLastIndex(({ segmentId }) => segmentId === event.segmentId);
  return at < 0 ? 0 : matches.splice(at, 1).length;
}

async function readOne(
  log: EventLog,
  seq: number,
  { member, clearedSeq }: Search,
): Promise<{ result: Json; error: string | null }> {
  if (seq > clearedSeq) {
    const event = await eventAt(log, seq);
    const entry = event === undefined ? undefined : entryOf(event, member);
    if (event !== undefined && entry !== undefined && !(await isRetracted(log, event))) {
      const isWhole = entry.text.length <= HISTORY_ENTRY_CHARS_MAX;
      const text = isWhole ? entry.text : `${entry.text.slice(0, HISTORY_ENTRY_CHARS_MAX)} […]`;
      return { result: { ...factsOf(event, entry), text }, error: null };
    }
  }
  return { result: null, error: `There is nothing to read at seq ${seq}.` };
}

async function eventAt(log: EventLog, seq: number): Promise<SessionEvent | undefined> {
  for await (const [event] of log.read(seq - 1)) return event?.seq === seq ? event : undefined;
  return undefined;
}

/** A text can be retracted until its turn ends. */
async function isRetracted(log: EventLog, textEvent: SessionEvent): Promise<boolean> {
  if (textEvent.type !== "text_done") return false;
  let read = 0;
  for await (const events of log.read(textEvent.seq)) {
    for (const event of events) {
      if (event.type === "text_retracted" && event.segmentId === textEvent.segmentId) return true;
      if (event.type === "turn_end" && event.turnId === textEvent.turnId) return false;
    }
    read += events.length;
    if (read >= HISTORY_EVENTS_MAX) return false;
  }
  return false;
}

/** A search does not find itself or earlier searches; agents prefix tool names differently. */
function createOwnCalls(): { isOne(event: SessionEvent): boolean } {
  const open = new Set<string>();
  return {
    isOne(event) {
      if (event.type === "tool_result") return open.delete(event.toolCallId);
      if (event.type !== "tool_call_start" || !event.name.endsWith("history_search")) return false;
      open.add(event.toolCallId);
      return true;
    },
  };
}

function factsOf(
  { seq, ts }: SessionEvent,
  { by, what }: HistoryEntry,
): { seq: number; when: string; by: string; what: string } {
  return { seq, when: new Date(ts).toISOString(), by, what };
}

const OWN_ONLY: ReadonlySet<SessionEvent["type"]> = new Set([
  "tool_call_start",
  "tool_result",
  "agent_message",
  "agent_callback_result",
  "compaction",
] as const);

function isTo(event: SessionEvent, reader: string): boolean {
  return event.type === "agent_message" && event.to === reader;
}

function entryOf(event: SessionEvent, reader: string): HistoryEntry | undefined {
  if (OWN_ONLY.has(event.type) && event.member !== reader && !isTo(event, reader)) return undefined;
  switch (event.type) {
    case "user_message":
      return { by: "user", what: "message", text: event.text };
    case "text_done":
      return { by: event.member, what: "answer", text: event.text };
    case "tool_call_start":
      return { by: event.member, what: `call of ${event.name}`, text: `${event.name} ${JSON.stringify(event.args)}` };
    case "tool_result":
      return { by: event.member, what: "output", text: event.result ?? event.error?.message ?? "" };
    case "agent_message":
      return { by: event.member, what: `question to ${event.to}`, text: event.text };
    case "agent_callback_result":
      return { by: event.member, what: "answer to a member", text: event.text };
    case "minutes":
      return { by: event.by ?? "table", what: "minutes", text: event.text };
    case "compaction":
      return { by: event.member, what: "summary", text: event.summary };
    default:
      return undefined;
  }
}

/** Index of the first term; -1 unless all terms occur. */
function matchIndex(text: string, terms: readonly string[]): number {
  const lower = text.toLowerCase();
  const indexes = terms.map((word) => lower.indexOf(word));
  return indexes.includes(-1) ? -1 : Math.min(...indexes);
}

function excerptAt(text: string, at: number): string {
  const from = Math.max(0, at - Math.floor(HISTORY_EXCERPT_CHARS / 4));
  const excerpt = text.slice(from, from + HISTORY_EXCERPT_CHARS).toWellFormed();
  return `${from > 0 ? "…" : ""}${excerpt}${from + HISTORY_EXCERPT_CHARS < text.length ? "…" : ""}`;
}
