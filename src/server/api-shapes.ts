/** What programs send to and get from the routes, as far as the protocol has no frame of that shape. */
import * as z from "zod";
import { Json, MemberSpec, Settings, UiRequestBody } from "../protocol/index.ts";

/** All optional: what is left out is as the server's own defaults say. */
export const NewSession = z.strictObject({
  cwd: z.string().max(4096).optional(),
  title: z.string().max(200).optional(),
  settings: Settings.partial().optional(),
  members: z.array(MemberSpec).max(64).optional(),
});

export const CreatedSession = z.object({ sessionId: z.string() });

const count = z.number().nonnegative();

const Totals = z.object({
  turns: count,
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  reasoningTokens: count,
  costUsd: count,
});

export const SessionUsage = z.object({
  totals: Totals,
  members: z.array(z.object({ name: z.string(), totals: Totals })),
});

export const OpenRequests = z.array(
  z.object({
    requestId: z.string(),
    member: z.string(),
    turnId: z.string().optional(),
    toolCallId: z.string().optional(),
    seq: z.int(),
    ts: z.number(),
    request: UiRequestBody,
    timeoutMs: z.number(),
    default: Json,
  }),
);

/** Who sits down at a new session. */
export const Agents = z.array(MemberSpec.pick({ name: true, kind: true, model: true, color: true }));

export const Defaults = z.object({ cwd: z.string(), settings: Settings, members: z.array(MemberSpec) });
