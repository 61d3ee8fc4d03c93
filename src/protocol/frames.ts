/**
 * What travels over a Connection, in both directions. Events carry a seq and come from the log;
 * the other frames are connection state and are never folded.
 */
import * as z from "zod";
import { BlobPart } from "./blob-parts.ts";
import { Command, type Ack } from "./commands.ts";
import { AnswerError } from "./errors.ts";
import { SearchQuery } from "./search.ts";
import type { SessionEvent } from "./events.ts";
import { Cursor, Json, MemberSpec, Settings } from "./values.ts";

export const PROTOCOL_VERSION = 1;

export const SessionSummary = z.object({
  sessionId: z.string(),
  title: z.string(),
  cwd: z.string(),
  members: z.array(z.string()),
  messages: z.int().nonnegative(),
  turns: z.int().nonnegative(),
  createdTs: z.number(),
  updatedTs: z.number(),
  archived: z.boolean(),
  status: z.enum(["idle", "running", "interrupted"]),
  seq: z.int().nonnegative(),
  /** How many requests wait for an answer; absent when none does. */
  waiting: z.int().positive().optional(),
  /** Set when thread files of another program are kept beside it. */
  mirrored: z.literal(true).optional(),
  /** Set when the session cannot be read whole; says why. */
  problem: z.string().optional(),
});
export type SessionSummary = z.infer<typeof SessionSummary>;

/** A deleted session that can still be brought back. */
export const TrashedSession = z.object({ deletedTs: z.number(), summary: SessionSummary });
export type TrashedSession = z.infer<typeof TrashedSession>;

export interface SessionNews {
  /** True for the first news: these are all sessions there are. */
  readonly isWhole: boolean;
  readonly changed: readonly SessionSummary[];
  readonly gone: readonly string[];
}

/** Head, live pages and where older ones are; made and read by `transcript/`, opaque on the way. */
export const SnapshotFrame = z.object({
  foldVersion: z.int(),
  epoch: z.int(),
  seq: z.int(),
  frozenPages: z.int(),
  state: Json,
});
export type SnapshotFrame = z.infer<typeof SnapshotFrame>;

const id = z.string();

export const ClientFrame = z.discriminatedUnion("frame", [
  z.object({
    frame: z.literal("hello"),
    protocol: z.int(),
    clientId: z.string().min(1).max(64),
    /**
     * The variables of the client's terminal, for the programs of sessions that it starts or opens. Counts on the local
     * socket only, stays in memory, and is never answered with.
     */
    environment: z.record(z.string(), z.string()).optional(),
  }),
  z.object({ frame: z.literal("list"), id }),
  /** Answered with a `SearchAnswer`. */
  z.object({ frame: z.literal("search"), id, query: SearchQuery }),
  /** Answered at once; then `sessions` frames come for as long as the connection lasts: first all, then what changes. */
  z.object({ frame: z.literal("follow_list"), id }),
  z.object({
    frame: z.literal("create"),
    id,
    cwd: z.string(),
    title: z.string(),
    settings: Settings,
    members: z.array(MemberSpec),
  }),
  /** Head, last pages and the seq they stand for; a session nobody writes is read without its lock. */
  z.object({ frame: z.literal("snapshot"), id, sessionId: z.string() }),
  z.object({ frame: z.literal("page"), id, sessionId: z.string(), page: z.int().nonnegative() }),
  z.object({ frame: z.literal("subscribe"), id, sessionId: z.string(), cursor: Cursor }),
  z.object({ frame: z.literal("unsubscribe"), sessionId: z.string() }),
  z.object({ frame: z.literal("command"), sessionId: z.string(), command: Command }),
  /**
   * To the trash, from which `restore` brings it back. Refused while a turn runs, and with `ifEmpty` once anybody has said
   * something; whoever follows it gets a `resync`.
   */
  z.object({ frame: z.literal("delete"), id, sessionId: z.string(), ifEmpty: z.literal(true).optional() }),
  z.object({ frame: z.literal("restore"), id, sessionId: z.string() }),
  /** What is in the trash, the latest deleted first. */
  z.object({ frame: z.literal("trash"), id }),
  /** Puts the log of an archived session away compressed; whoever goes on with the session brings it back. */
  z.object({ frame: z.literal("compress"), id, sessionId: z.string() }),
  /** A part of a file that a message will name; answered with a `BlobPartAnswer`. */
  z.object({ frame: z.literal("put_blob"), id, sessionId: z.string(), ...BlobPart.shape }),
]);
export type ClientFrame = z.infer<typeof ClientFrame>;

export const StoreState = z.enum(["ok", "slow", "full", "read-only"]);
export type StoreState = z.infer<typeof StoreState>;

const Reply = z.discriminatedUnion("ok", [
  z.object({ frame: z.literal("reply"), id, ok: z.literal(true), result: Json }),
  z.object({ frame: z.literal("reply"), id, ok: z.literal(false), error: AnswerError }),
]);

/** Checked by shape only at this end: events of a newer version must pass through. */
export type HostFrame =
  | { frame: "welcome"; protocol: number; version: string; hostId: string }
  | { frame: "events"; sessionId: string; events: readonly SessionEvent[] }
  | { frame: "ack"; sessionId: string; ack: Ack }
  | z.infer<typeof Reply>
  | ({ frame: "sessions" } & SessionNews)
  | { frame: "heartbeat"; sessionId: string; epoch: number; seq: number }
  | { frame: "resync"; sessionId: string; reason: string }
  | { frame: "store"; sessionId: string; state: StoreState; message: string }
  | { frame: "shutdown"; reason: string };
