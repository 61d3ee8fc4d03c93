/**
 * A step between a member and its model, for members whose context is rebuilt from the log. Tool results are not
 * included: they are already in the log under the `callId` of the call.
 */
import * as z from "zod";
import { Attachment, Json } from "./values.ts";

export const ContextCall = z.object({
  /** The model's id of the call. */
  id: z.string(),
  name: z.string(),
  /** JSON, as sent back to the model. */
  args: z.string(),
  /** Provider data that must be sent back with the call. */
  extra: Json.optional(),
});
export type ContextCall = z.infer<typeof ContextCall>;

export const ContextEntry = z.discriminatedUnion("kind", [
  /** Starts a turn: the prompt as composed. */
  z.object({
    kind: z.literal("asked"),
    text: z.string(),
    images: z.array(Attachment).optional(),
    /** The user's own text in it, shortened when long. */
    words: z.string().optional(),
  }),
  z.object({ kind: z.literal("steered"), messageId: z.string(), text: z.string() }),
  z.object({
    kind: z.literal("replied"),
    text: z.string(),
    calls: z.array(ContextCall).optional(),
    /** Provider data that must be sent back with the reply, such as reasoning. */
    kept: z.array(Json).optional(),
  }),
  /** Dropped for lack of room, without a summary: turns before that one, and these results of this turn. */
  z.object({
    kind: z.literal("forgot"),
    firstKeptTurnId: z.string().optional(),
    firstKeptSeq: z.int().positive().optional(),
    results: z.array(z.int().nonnegative()).optional(),
    /** The summary of compacted turns and pinned turns are gone too. */
    folded: z.literal(true).optional(),
  }),
  /** A compaction was due and failed; it is retried some turns later. */
  z.object({ kind: z.literal("not_folded"), reason: z.string() }),
]);
export type ContextEntry = z.infer<typeof ContextEntry>;
