/** A query to the index of all sessions, and its result. The text is never interpreted as a query language. */
import * as z from "zod";

/** Longer input is not a search but a pasted file. */
const QUERY_CHARS_MAX = 1_000;
export const SEARCH_LIMIT_MAX = 200;
export const SEARCH_LIMIT_DEFAULT = 50;

export const SearchQuery = z.strictObject({
  /** All words must occur in one entry; quoted words as a phrase. */
  words: z.string().max(QUERY_CHARS_MAX, `a search takes at most ${QUERY_CHARS_MAX} characters`),
  member: z.string().max(64).optional(),
  sinceTs: z.number().nonnegative().optional(),
  /** Tool name: its calls, results and changes. */
  tool: z.string().max(200).optional(),
  sessionId: z.string().max(64).optional(),
  cwd: z.string().max(4096).optional(),
  limit: z.int().min(1).max(SEARCH_LIMIT_MAX).optional(),
});
export type SearchQuery = z.infer<typeof SearchQuery>;

/** Kind of the match. */
export const SearchKind = z.enum([
  "title",
  "user",
  "text",
  "thinking",
  "call",
  "output",
  "diff",
  "minutes",
  "exchange",
  "request",
  "note",
]);
export type SearchKind = z.infer<typeof SearchKind>;

export const SearchHit = z.object({
  sessionId: z.string(),
  title: z.string(),
  cwd: z.string(),
  /** Start of the message that contains the match: the position to jump to. */
  seq: z.int().positive(),
  /** The event that contains the match. */
  eventSeq: z.int().positive(),
  ts: z.number(),
  kind: SearchKind,
  /** Who said it: for a message that came through a team's server, the person. */
  member: z.string().optional(),
  tool: z.string().optional(),
  turnId: z.string().optional(),
  messageId: z.string().optional(),
  /** One line around the match. */
  snippet: z.string(),
  /** Match ranges in the snippet: start and end in UTF-16 units, sorted, not overlapping. */
  marks: z.array(z.tuple([z.int().nonnegative(), z.int().positive()])),
});
export type SearchHit = z.infer<typeof SearchHit>;

const KIND_LABELS: Readonly<Record<SearchKind, string>> = {
  title: "title",
  user: "you",
  text: "",
  thinking: "thinking",
  call: "call",
  output: "output",
  diff: "change",
  minutes: "minutes",
  exchange: "exchange",
  request: "request",
  note: "note",
};

/** Author of the match, the same on every screen. */
export function hitWho({ kind, member, tool }: SearchHit): string {
  if (kind === "user") return member ?? KIND_LABELS.user;
  return [member, tool, KIND_LABELS[kind]].filter((part) => part !== undefined && part !== "").join(" ");
}

export const SearchAnswer = z.object({
  /** Newest first. */
  hits: z.array(SearchHit),
  /** There are more matches than requested or scanned. */
  hasMore: z.boolean(),
  /** False while some sessions are not fully indexed. */
  isComplete: z.boolean(),
  /** Number of sessions not fully indexed. */
  sessionsLeft: z.int().nonnegative(),
});
export type SearchAnswer = z.infer<typeof SearchAnswer>;
