/**
 * Frames between a runner and a node. What a runner sends with an id is answered by a frame with the same id; those of
 * one session in order. Everything without an answer is sent again after a reconnect.
 */
import * as z from "zod";
import { isUlid } from "../kit/ids.ts";
import { hasTooMany, isTooDeep, NESTING_MAX } from "../kit/nesting.ts";
import {
  Ack,
  AnswerError,
  BlobRef,
  Command,
  Cursor,
  MemberSpec,
  Settings,
  type SessionEvent,
} from "../protocol/index.ts";

export const RUNNER_PROTOCOL = 2;
export const RUNNER_PATH = "/v1/runner";
/** A side that hears nothing for three times as long gives the connection up. */
export const ALIVE_MS = 5_000;

const sessionId = z.string().refine(isUlid, "is not the id of a session");
/** Empty for a command that begins a session. */
const commanded = z.literal("").or(sessionId);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** Only the shape is checked: events of newer versions must pass. The store checks order and size. */
const Event = z.looseObject({ seq: z.int(), epoch: z.int(), sessionId, type: z.string() });

/** Of this connection. */
const id = z.int().nonnegative();

const RunnerName = z
  .string()
  .trim()
  .regex(/^[\w][\w.-]{0,31}$/, "a name has up to 32 letters, digits, dots, underscores and dashes");

/** A folder in which sessions can be started, with the members and settings that its owner has configured there. */
export const Offer = z.object({
  folder: z.string().max(4_096),
  settings: Settings,
  members: z.array(MemberSpec).max(64),
});
export type Offer = z.infer<typeof Offer>;

/** A new session on a runner, or one that continues a copy from the server. */
export const StartSession = z.object({
  type: z.literal("start"),
  commandId: z.string().max(64),
  cwd: z.string().max(4_096),
  title: z.string(),
  settings: Settings.optional(),
  members: z.array(MemberSpec).max(64).optional(),
  /** The owner is whose machine it was written at, when that is somebody else's; without an id once they are removed. */
  from: z
    .object({ sessionId, seq: z.int(), owner: z.object({ id: z.string().optional(), name: z.string() }).optional() })
    .optional(),
});
export type StartSession = z.infer<typeof StartSession>;

/** What a runner is sent. */
export const RunnerCommand = z.union([Command, StartSession]);
export type RunnerCommand = z.infer<typeof RunnerCommand>;

export const RunnerFrame = z.discriminatedUnion("frame", [
  z.object({
    frame: z.literal("hello"),
    protocol: z.int(),
    version: z.string().max(64),
    name: RunnerName,
    /** One per start of the runner: two processes with one identity are told apart. */
    instance: z.string().max(64),
    offers: z.array(Offer).max(64).optional(),
    /** Secret that identifies the machine after its owner was removed and invited again. */
    machine: z.string().max(64).optional(),
  }),
  z.object({ frame: z.literal("alive") }),
  /** Where to continue; answered by `head`. */
  z.object({ frame: z.literal("where"), id, sessionId }),
  z.object({ frame: z.literal("batch"), id, sessionId, epoch: z.int(), events: z.array(Event) }),
  z.object({ frame: z.literal("blob"), id, sessionId, blob: BlobRef, data: z.base64() }),
  /** The session is shared no more: its copy is deleted. */
  z.object({ frame: z.literal("forget"), sessionId }),
  z.object({
    frame: z.literal("done"),
    sender: z.string().max(64),
    sessionId: commanded,
    command: RunnerCommand,
    ack: Ack,
  }),
  z.object({ frame: z.literal("want"), id, sessionId, sha256 }),
  /** Of a session that this runner is to continue; answered by `page`. */
  z.object({ frame: z.literal("read"), id, sessionId, after: Cursor }),
]);
export type RunnerFrame =
  | Exclude<z.infer<typeof RunnerFrame>, { frame: "batch" }>
  | { frame: "batch"; id: number; sessionId: string; epoch: number; events: readonly SessionEvent[] };

type WithoutId<Frame> = Frame extends { id: number } ? Omit<Frame, "id"> : never;
/** What is answered, before it has an id. */
export type Question = WithoutId<RunnerFrame>;

export const NodeFrame = z.discriminatedUnion("frame", [
  z.object({
    frame: z.literal("welcome"),
    runnerId: z.string(),
    /** Whose runner it is: the name to show, and the id that counts. */
    person: z.string(),
    personId: z.string(),
    version: z.string(),
  }),
  z.object({ frame: z.literal("alive") }),
  z.object({ frame: z.literal("head"), id, head: Cursor }),
  /** The code is that of the store. */
  z.object({ frame: z.literal("refused"), id, code: z.string(), error: AnswerError }),
  z.object({ frame: z.literal("command"), sessionId: commanded, sender: z.string(), command: RunnerCommand }),
  /** Empty at the end. */
  z.object({ frame: z.literal("page"), id, events: z.array(Event) }),
  /** Of one that was stored; and one that was wanted, without data when there is none. */
  z.object({ frame: z.literal("blob"), id, data: z.base64().optional() }),
  /** The connection ends: says why, in a sentence for the owner. */
  z.object({ frame: z.literal("goodbye"), reason: z.string(), isFinal: z.boolean() }),
]);
export type NodeFrame = z.infer<typeof NodeFrame>;
export type Answer = Extract<NodeFrame, { id: number }>;

/** More than either side sends. Most of an event is not looked at, so that it may have any number of values. */
const EVENTS_MAX = 10_000;
/** Of a frame around an event, or around a command. */
const FRAME_LEVELS = 4;

/** Undefined for what is no frame of this kind, and for what would cost more to look at than any frame does. */
export function readFrame<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> | undefined {
  if (typeof value !== "object" || value === null || isTooDeep(value, NESTING_MAX + FRAME_LEVELS)) return undefined;
  const { events, ...rest } = value as { events?: unknown };
  if (hasTooMany(rest) || (Array.isArray(events) && events.length > EVENTS_MAX)) return undefined;
  return schema.safeParse(value).data;
}
