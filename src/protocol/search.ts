/** A question to the index over all sessions, and its answer. The words are a person's text and never a query language. */
import * as z from "zod";

/** A longer text is no search; it would be a file. */
const QUERY_CHARS_MAX = 1_000;
export const SEARCH_LIMIT_MAX = 200;
export const SEARCH_LIMIT_DEFAULT = 50;

export const SearchQuery = z.strictObject({
  /** All of them must stand in one thing that was said or done; "in quotes" as they stand. */
  words: z.string().max(QUERY_CHARS_MAX, `a search takes at most ${QUERY_CHARS_MAX} characters`),
  member: z.string().max(64).optional(),
  sinceTs: z.number().nonnegative().optional(),
  /** The name of a tool: its calls, what they gave and what they changed. */
  tool: z.string().max(200).optional(),
  sessionId: z.string().max(64).optional(),
  cwd: z.string().max(4096).optional(),
  limit: z.int().min(1).max(SEARCH_LIMIT_MAX).optional(),
});
export type SearchQuery = z.infer<typeof SearchQuery>;

/** What kind of thing was found. */
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
  /** Where the message begins that the thing stands in: the place to jump to. */
  seq: z.int().positive(),
  /** The event that has the words. */
  eventSeq: z.int().positive(),
  ts: z.number(),
  kind: SearchKind,
  member: z.string().optional(),
  tool: z.string().optional(),
  turnId: z.string().optional(),
  messageId: z.string().optional(),
  /** One line around what was found. */
  snippet: z.string(),
  /** What was found in the snippet: from and to, in UTF-16 units, in order, never overlapping. */
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

/** Who said or did it, as every screen puts it. */
export function hitWho({ kind, member, tool }: SearchHit): string {
  return [member, tool, KIND_LABELS[kind]].filter((part) => part !== undefined && part !== "").join(" ");
}

export const SearchAnswer = z.object({
  /** Newest first. */
  hits: z.array(SearchHit),
  /** There is more than was asked for, or more than was looked at. */
  hasMore: z.boolean(),
  /** False while some sessions are not in the index yet, or not to their end. */
  isComplete: z.boolean(),
  /** How many sessions these are. */
  sessionsLeft: z.int().nonnegative(),
});
export type SearchAnswer = z.infer<typeof SearchAnswer>;
