/**
 * A step in the conversation of a member with its model, for members whose context is made from the log.
 * Results of tools are not among them: they are in the log already, under the `callId` of the call.
 */
import * as z from "zod";
import { Attachment, Json } from "./values.ts";

export const ContextCall = z.object({
  /** The id by which the model knows the call. */
  id: z.string(),
  name: z.string(),
  /** JSON, as it is sent back to the model. */
  args: z.string(),
  /** Something of the server's own that it wants back with the call. */
  extra: Json.optional(),
});
export type ContextCall = z.infer<typeof ContextCall>;

export const ContextEntry = z.discriminatedUnion("kind", [
  /** Begins a turn: the prompt as it was composed. */
  z.object({
    kind: z.literal("asked"),
    text: z.string(),
    images: z.array(Attachment).optional(),
    /** The user's own words in it, shortened when they are long. */
    words: z.string().optional(),
  }),
  z.object({ kind: z.literal("steered"), messageId: z.string(), text: z.string() }),
  z.object({
    kind: z.literal("replied"),
    text: z.string(),
    calls: z.array(ContextCall).optional(),
    /** Something of the server's own that it wants back with the reply, such as its thoughts. */
    kept: z.array(Json).optional(),
  }),
  /** Dropped for want of room, without a summary: turns before that one, and results in those places of this turn. */
  z.object({
    kind: z.literal("forgot"),
    firstKeptTurnId: z.string().optional(),
    firstKeptSeq: z.int().positive().optional(),
    results: z.array(z.int().nonnegative()).optional(),
    /** What stood in the place of folded turns, and pinned turns, are gone too. */
    folded: z.literal(true).optional(),
  }),
  /** A compaction was due and could not be had; it is tried again some turns later. */
  z.object({ kind: z.literal("not_folded"), reason: z.string() }),
]);
export type ContextEntry = z.infer<typeof ContextEntry>;
