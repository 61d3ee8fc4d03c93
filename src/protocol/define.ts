/**
 * How an event is declared: once, with its sync class beside it; its TypeScript type is inferred from here.
 *
 * sync    broadcast and acknowledged after fdatasync
 * stream  broadcast after the write, synced at most 50 ms later
 * derived made by the reader of a damaged log, never written
 */
import * as z from "zod";

export type SyncClass = "sync" | "stream" | "derived";

/** The longest a single event may be on disk; larger bodies go to blobs. */
export const EVENT_BYTES_MAX = 256 * 1024;

export const Envelope = {
  seq: z.int().positive(),
  epoch: z.int().positive(),
  id: z.string(),
  ts: z.number(),
  sessionId: z.string(),
  turnId: z.string().optional(),
  member: z.string().optional(),
};

export interface EventDefinition<Type extends string, Schema extends z.ZodObject> {
  readonly type: Type;
  readonly syncClass: SyncClass;
  readonly schema: Schema;
}

function definer(syncClass: SyncClass) {
  return <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) => ({
    type,
    syncClass,
    schema: z.object({ ...Envelope, type: z.literal(type), ...shape }),
  });
}

export const sync = definer("sync");
export const stream = definer("stream");
export const derived = definer("derived");
