/**
 * How an event is declared: once, with its sync class beside it; its TypeScript type is inferred from here.
 *
 * sync    broadcast and acknowledged after fdatasync
 * stream  broadcast after the write, synced at most 50 ms later
 * derived made by the reader of a damaged log, never written
 */
import * as z from "zod";

export type SyncClass = "sync" | "stream" | "derived";

/** Limit of one event on disk; larger bodies go to blobs. */
export const EVENT_BYTES_MAX = 256 * 1024;

const Envelope = {
  seq: z.int().positive(),
  epoch: z.int().positive(),
  id: z.string(),
  ts: z.number(),
  sessionId: z.string(),
  turnId: z.string().optional(),
  member: z.string().optional(),
};

/** Fields of an event override the envelope: a `turnId` that it requires is not optional in its type. */
type EventShape<Type extends string, Shape> = Omit<typeof Envelope, keyof Shape> & { type: z.ZodLiteral<Type> } & Shape;

export interface EventDefinition<Type extends string, Shape> {
  readonly type: Type;
  readonly syncClass: SyncClass;
  readonly schema: z.ZodObject<EventShape<Type, Shape>>;
}

function definer(syncClass: SyncClass) {
  return <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) => {
    const whole = { ...Envelope, type: z.literal(type), ...shape } as unknown as EventShape<Type, Shape>;
    return { type, syncClass, schema: z.object(whole) } as EventDefinition<Type, Shape>;
  };
}

export const sync = definer("sync");
export const stream = definer("stream");
export const derived = definer("derived");
