/**
 * Frames of a Connection, both directions. Events carry a seq and come from the log; all other frames are connection
 * state and never folded.
 */

import * as z from "zod";
import { BlobPart } from "./blob-upload.ts";
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
  /** Members whose turns run, in the order of the table; absent when there are none. */
  answering: z.array(z.string()).optional(),
  /** Number of open requests; absent when there are none. */
  waiting: z.int().positive().optional(),
  /** Set when thread files of another program are mirrored. */
  mirrored: z.literal(true).optional(),
  /** Set when the session cannot be read completely; says why. */
  problem: z.string().optional(),
  /** The machine that the session is on, and whose it is; on the server of a team. */
  at: z
    .object({
      runner: z.string(),
      person: z.string(),
      /** Absent when whose machine it was has been removed. */
      personId: z.string().optional(),
      isConnected: z.boolean(),
    })
    .optional(),
});
export type SessionSummary = z.infer<typeof SessionSummary>;

/** A deleted session that can still be restored. */
export const TrashedSession = z.object({ deletedTs: z.number(), summary: SessionSummary });
export type TrashedSession = z.infer<typeof TrashedSession>;

export interface SessionNews {
  /** True for the first update: it lists all sessions. */
  readonly isWhole: boolean;
  readonly changed: readonly SessionSummary[];
  readonly gone: readonly string[];
}

/** Head, live pages and positions of older pages; created and read by `transcript/`, opaque in between. */
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
     * Environment of the client's terminal, for programs of sessions that it starts or opens. Used on the local socket
     * only, kept in memory, never sent back.
     */
    environment: z.record(z.string(), z.string()).optional(),
  }),
  z.object({ frame: z.literal("list"), id }),
  /** The result is a `SearchAnswer`. */
  z.object({ frame: z.literal("search"), id, query: SearchQuery }),
  /** Acknowledged at once; `sessions` frames follow while the connection lasts: first all sessions, then changes. */
  z.object({ frame: z.literal("follow_list"), id }),
  z.object({
    frame: z.literal("create"),
    id,
    cwd: z.string(),
    title: z.string(),
    settings: Settings,
    members: z.array(MemberSpec),
  }),
  /** Head, last pages and their seq; a session without a writer is read without its lock. */
  z.object({ frame: z.literal("snapshot"), id, sessionId: z.string() }),
  z.object({ frame: z.literal("page"), id, sessionId: z.string(), page: z.int().nonnegative() }),
  z.object({ frame: z.literal("subscribe"), id, sessionId: z.string(), cursor: Cursor }),
  z.object({ frame: z.literal("unsubscribe"), sessionId: z.string() }),
  z.object({ frame: z.literal("command"), sessionId: z.string(), command: Command }),
  /**
   * Moves to the trash; `restore` brings it back. Refused while a turn runs, and with `ifEmpty` once there is a
   * message. Followers get a `resync`.
   */
  z.object({ frame: z.literal("delete"), id, sessionId: z.string(), ifEmpty: z.literal(true).optional() }),
  z.object({ frame: z.literal("restore"), id, sessionId: z.string() }),
  /** Content of the trash, most recently deleted first. */
  z.object({ frame: z.literal("trash"), id }),
  /** Compresses the log of an archived session; continuing the session decompresses it. */
  z.object({ frame: z.literal("compress"), id, sessionId: z.string() }),
  /** A part of a file that a message will refer to; the result is a `BlobPartAnswer`. */
  z.object({ frame: z.literal("put_blob"), id, sessionId: z.string(), ...BlobPart.shape }),
]);
export type ClientFrame = z.infer<typeof ClientFrame>;

export const StoreState = z.enum(["ok", "slow", "full", "read-only"]);
export type StoreState = z.infer<typeof StoreState>;

export const Reply = z.discriminatedUnion("ok", [
  z.object({ frame: z.literal("reply"), id, ok: z.literal(true), result: Json }),
  z.object({ frame: z.literal("reply"), id, ok: z.literal(false), error: AnswerError }),
]);

/** Only the shape is checked at this end: events of newer versions must pass. */
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

/**
 * Port for a pair of typed frame streams between a client and a host. Carriers (in-process pair, local socket,
 * WebSocket) implement it and nothing else knows how bytes travel.
 *
 * Frames arrive in order, once. `send` never throws and is ignored after close. Frames that arrive before the first
 * `onFrame` are buffered. `onClose` is called once, also when set after the close. Each setter may be called once.
 */
export interface Connection<Out, In> {
  send(frame: Out): void;
  /** `bytes` is the length of the frame where the carrier knows it. */
  onFrame(listener: (frame: In, bytes?: number) => void): void;
  onClose(listener: (reason: string) => void): void;
  close(reason: string): void;
  /** Bytes accepted by `send` and not yet taken by the other end; a host stops feeding a client that is far behind. */
  readonly backlogBytes: number;
}

export type ClientConnection = Connection<ClientFrame, HostFrame>;
export type HostConnection = Connection<HostFrame, ClientFrame>;
