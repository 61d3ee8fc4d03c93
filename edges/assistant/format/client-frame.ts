/** Frames of assistant's clients, validated on receipt, with assistant's own error codes. */
import * as z from "zod";
import { isTooDeep, TOO_DEEP } from "../../../src/kit/nesting.ts";
import type { Json } from "../../../src/protocol/index.ts";
import type { ErrorFrame } from "./server-frame.ts";

const Mode = z.enum(["text", "speech", "both"]);
/** Far longer than any real id. */
const Id = z.string().max(256);

export const ClientFrame = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("hello"),
    protocolVersion: z.int().positive().default(2),
    sessionId: Id.optional(),
    subscriptions: z.array(Id).max(1_000).optional(),
    userAgent: z.string().optional(),
    /** Of later clients of this version. */
    interaction: z.object({ supported: z.boolean(), enabled: z.boolean() }).optional(),
    audio: z
      .object({
        audioIn: z.boolean().optional(),
        audioOut: z.boolean().optional(),
        sampleRates: z.array(z.int().positive()).optional(),
      })
      .optional(),
  }),
  z.object({
    type: z.literal("text_input"),
    text: z.string(),
    sessionId: Id,
    inputMode: Mode.optional(),
    clientMessageId: z.string().optional(),
  }),
  z.object({ type: z.literal("set_modes"), inputMode: Mode.optional(), outputMode: Mode.optional() }),
  z.object({
    type: z.literal("control"),
    action: z.enum(["start", "stop", "cancel", "clear"]),
    target: z.enum(["session", "input", "output"]).optional(),
    sessionId: Id.optional(),
    audioEndMs: z.int().nonnegative().optional(),
  }),
  z.object({
    type: z.literal("ping"),
    nonce: z.string().max(1_024).optional(),
    timestampMs: z.int().nonnegative().optional(),
  }),
  z.object({ type: z.literal("cancel_queued_message"), messageId: Id }),
  z.object({ type: z.literal("subscribe"), sessionId: Id }),
  z.object({ type: z.literal("unsubscribe"), sessionId: Id }),
  z.object({ type: z.literal("set_session_model"), sessionId: Id, model: z.string().max(256) }),
  /** Of later clients of this version. */
  z.object({ type: z.literal("set_interaction_mode"), enabled: z.boolean() }),
  z.object({
    type: z.literal("tool_interaction_response"),
    sessionId: Id,
    callId: Id,
    interactionId: Id,
    action: z.enum(["approve", "deny", "submit", "cancel"]),
    approvalScope: z.enum(["once", "session", "always"]).optional(),
    input: z.record(z.string(), z.unknown()).optional(),
    reason: z.string().optional(),
  }),
  z.object({
    type: z.literal("panel_event"),
    panelId: z.string(),
    panelType: z.string(),
    sessionId: Id.optional(),
    payload: z.unknown(),
  }),
]);
export type ClientFrame = z.infer<typeof ClientFrame>;
export type ClientFrameOf<Type extends ClientFrame["type"]> = Extract<ClientFrame, { type: Type }>;

/** Limit of reported errors per frame. */
const ISSUES_REPORTED_MAX = 5;

export function readClientFrame(text: string): { readonly frame: ClientFrame } | { readonly error: ErrorFrame } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Sent to the client.
    return { error: { type: "error", code: "invalid_json", message: "The message is not valid JSON." } };
  }
  // The whole frame, also fields that the schema ignores.
  if (isTooDeep(value)) return invalid(`The message is not accepted: ${TOO_DEEP}.`, []);
  const parsed = ClientFrame.safeParse(value);
  if (parsed.success) return { frame: parsed.data };
  const issues = parsed.error.issues
    .slice(0, ISSUES_REPORTED_MAX)
    .map(({ code, path, message }): Json => ({ code, path: path.map(String), message }));
  return invalid("The message is not valid in this protocol.", issues);
}

function invalid(message: string, issues: Json[]): { readonly error: ErrorFrame } {
  return { error: { type: "error", code: "invalid_client_message", message, details: { issues } } };
}
