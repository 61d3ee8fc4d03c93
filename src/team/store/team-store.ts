/**
 * Port of a team server's store: durable copies of the logs of runners, which stay the truth of their sessions, and an
 * inbox of commands for them. Every store passes `test/team/team-store.contract.ts`.
 *
 * Guarantees:
 * - What `ingest` has acknowledged is durable, and each (session, epoch, seq) is stored once. A refused batch leaves
 *   nothing behind.
 * - Readers get events in seq order without gaps and repeats. Wake-ups are hints: delivery relies on reading by cursor.
 */
import { RoundtableError, type ErrorCode } from "../../protocol/index.ts";
import type { Ack, AnswerError, BlobRef, Cursor, SearchAnswer, SearchHit, SearchQuery } from "../../protocol/index.ts";
import type { Json, SessionEvent, SessionSummary } from "../../protocol/index.ts";
import type { RunnerCommand } from "../frames.ts";

/** Who ships a session: a runner, in the epoch in which it opened the log. */
export interface Writer {
  readonly sessionId: string;
  readonly runnerId: string;
  readonly epoch: number;
}

export interface ListedSession {
  readonly runnerId: string;
  readonly summary: SessionSummary;
}

/** As in a snapshot. */
export interface SavedFold {
  readonly foldVersion: number;
  readonly frozenPages: number;
  readonly state: Json;
}

/** Restricts a listing or a search to these sessions; absent means all of them. */
export interface Visible {
  readonly sessionIds?: readonly string[];
}

/** A hit before it is known who reads it. */
export interface StoredHit extends SearchHit {
  /** The client id of a message that came through the server. */
  readonly sender?: string | undefined;
}

export interface StoredAnswer extends Omit<SearchAnswer, "hits"> {
  readonly hits: readonly StoredHit[];
}

/** A command on its way to the runner of its session. */
export interface PostedCommand {
  readonly runnerId: string;
  readonly sessionId: string;
  /** Who sent it, as the node has established it. */
  readonly sender: string;
  readonly command: RunnerCommand;
}

export interface TeamStore {
  /**
   * Stores events that continue the session, and resolves with its head. Repeats are ignored; without events it only
   * says where to continue. Events of a higher epoch replace stored ones of the same seq and everything after them.
   * Refuses with `gap`, `stale_epoch`, `conflict` or `bad_batch`.
   */
  ingest(writer: Writer, events: readonly SessionEvent[]): Promise<Cursor>;
  /** Batches of everything after the cursor, up to the head. Refuses with `unknown_session` or `unknown_cursor`. */
  read(sessionId: string, cursor: Cursor): AsyncGenerator<readonly SessionEvent[], void, void>;
  /**
   * As `read`, then everything that is stored later, until the signal is aborted. Outlasts a database that is away for a
   * while. Refuses with `unknown_cursor` when events that it has given out are replaced.
   */
  tail(sessionId: string, cursor: Cursor, signal: AbortSignal): AsyncGenerator<readonly SessionEvent[], void, void>;
  /** Most recently changed first. May lag behind the stored events by a second. */
  list(visible?: Visible): Promise<readonly ListedSession[]>;
  /** May lag behind the stored events by a second; the answer says so. */
  search(query: SearchQuery, visible?: Visible): Promise<StoredAnswer>;
  /** A fold of the session up to some event, from which it can be read on; undefined when there is none yet. */
  saved(sessionId: string): Promise<SavedFold | undefined>;
  /** Deletes the copy of a session. Its runner may ship it again. */
  forget(writer: Pick<Writer, "sessionId" | "runnerId">): Promise<void>;
  readonly blobs: TeamBlobs;
  readonly inbox: CommandInbox;
  /** Ends tails and releases everything. */
  close(): Promise<void>;
}

export interface TeamBlobs {
  /** Durable when it resolves. Refuses with `too_large`, or with `conflict` for bytes of another hash. */
  put(sessionId: string, blob: BlobRef, bytes: Uint8Array): Promise<void>;
  get(sessionId: string, sha256: string): Promise<Uint8Array | undefined>;
}

/** A sender's command with the same `commandId` is the same command: a repeated post changes nothing. */
export interface CommandInbox {
  post(posted: PostedCommand): Promise<void>;
  /** Commands of a runner without an acknowledgement, oldest first; resumes with new ones until aborted. */
  receive(runnerId: string, signal: AbortSignal): AsyncGenerator<PostedCommand, void, void>;
  /** Resolves with the acknowledgement that counts: the first one. Refuses with `conflict` a command of another runner. */
  acknowledge(command: PostedCommand, ack: Ack): Promise<Ack>;
  /** Resolves when the command is acknowledged; undefined when the signal is aborted before. */
  answer(command: PostedCommand, signal: AbortSignal): Promise<Ack | undefined>;
  /** Senders of commands by which the runner is to continue this session, and which it has not acknowledged. */
  continuing(runnerId: string, sessionId: string): Promise<readonly string[]>;
  /** Refuses commands for a runner that have waited longer than this: their senders have given up. */
  expire(runnerId: string, ageMs: number, error: AnswerError): Promise<void>;
}

/** Sender ids have no spaces. */
export function inboxKey({ sender, command }: PostedCommand): string {
  return `${sender} ${command.commandId}`;
}

export type TeamStoreCode =
  | "gap"
  | "stale_epoch"
  | "conflict"
  | "bad_batch"
  | "unknown_session"
  | "unknown_cursor"
  | "too_large"
  | "damaged"
  | "closed"
  // Of the database; `unavailable` alone passes without anybody doing something.
  | "unavailable"
  | "access_denied"
  | "too_old"
  | "too_new"
  | "read_only"
  | "full"
  | "internal";

export class TeamStoreError extends Error {
  override readonly name = "TeamStoreError";
  readonly code: TeamStoreCode;
  readonly hint: string | undefined;
  /** With `gap`, `stale_epoch` and `conflict`: the head of the stored session. */
  readonly head: Cursor | undefined;

  constructor(
    code: TeamStoreCode,
    message: string,
    options: { hint?: string | undefined; head?: Cursor; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.head = options.head;
  }
}

/** An error that ends without anybody doing something. */
export function isPassing(error: unknown): boolean {
  return error instanceof TeamStoreError && error.code === "unavailable";
}

/** As codes of the protocol; anything else is for the server's administrator. */
const ANSWERS: Readonly<Partial<Record<TeamStoreCode, ErrorCode>>> = {
  conflict: "conflict",
  unknown_session: "unknown_session",
  too_large: "too_large",
  unavailable: "store_unavailable",
  access_denied: "store_unavailable",
  read_only: "store_unavailable",
  full: "store_unavailable",
  closed: "closed",
};

/** Address and state of the database are for the server's administrator only. */
const OF_DATABASE: ReadonlySet<TeamStoreCode> = new Set([
  "unavailable",
  "access_denied",
  "too_old",
  "too_new",
  "read_only",
  "full",
  "internal",
]);

/** Rejects as clients expect it. */
export async function asAnswer<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof TeamStoreError ? toAnswer(error) : error;
  }
}

/** Nothing is wrong with what was asked for. */
export function isOfDatabase(code: TeamStoreCode): boolean {
  return OF_DATABASE.has(code);
}

export function toAnswer(error: TeamStoreError): RoundtableError {
  const isHidden = isOfDatabase(error.code);
  const message = isHidden ? "The server cannot use its database at the moment." : error.message;
  const hint = isHidden ? "Try again later. The reason is in the server's log." : error.hint;
  return new RoundtableError(ANSWERS[error.code] ?? "internal", message, { ...(hint && { hint }), cause: error });
}

export const START: Cursor = { epoch: 0, seq: 0 };
/** Blobs up to this size are stored with the events. */
export const SMALL_BLOB_BYTES = 1024 * 1024;
