/** Events of the conversation itself: session, user, turns, text and tools. */
import * as z from "zod";
import { stream, sync } from "./define.ts";
import { Reach } from "./permissions.ts";
import {
  ActivityState,
  Attachment,
  BlobRef,
  Capabilities,
  DeliveryState,
  Guard,
  Json,
  MemberName,
  MemberSpec,
  OfferedModel,
  Outcome,
  QueueItem,
  Settings,
  ToolErrorCode,
  TurnCause,
  Usage,
} from "./values.ts";

const reason = z.string().optional();

export const sessionEvents = [
  sync("session_created", {
    format: z.literal(1),
    cwd: z.string(),
    title: z.string(),
    settings: Settings,
    /** Number of members that join at creation. A log that ends before them is an incomplete session. */
    memberCount: z.int().nonnegative().optional(),
    forkedFrom: z.object({ sessionId: z.string(), seq: z.int() }).optional(),
    imported: z.object({ source: z.string(), from: z.string() }).optional(),
  }),
  /** `afterSeq` is the last event before the session was reopened, `afterTs` its time. */
  sync("session_resume", { afterSeq: z.int().nonnegative(), afterTs: z.number().optional(), reason }),
  sync("session_renamed", { title: z.string() }),
  sync("session_archived", { archived: z.boolean() }),
  sync("settings_changed", { settings: Settings.partial() }),
  sync("member_joined", { member: MemberName, spec: MemberSpec, capabilities: Capabilities }),
  sync("member_left", { member: MemberName, reason }),
  sync("member_muted", { member: MemberName }),
  sync("member_unmuted", { member: MemberName, reason }),
  sync("member_session", { member: MemberName, nativeSessionId: z.string() }),
  stream("member_models", { member: MemberName, models: z.array(OfferedModel) }),
  /** What keeps the member from changing files unasked, as of the start of its program. */
  stream("member_guard", { member: MemberName, guard: Guard, detail: z.string().optional() }),
  sync("model_switched", { member: MemberName, model: z.string(), from: z.string().optional() }),
  /** Without `effort` the agent decides again. */
  sync("effort_switched", { member: MemberName, effort: z.string().optional(), from: z.string().optional() }),
  sync("session_clear", { clientId: z.string().optional() }),
  sync("message_pinned", { messageId: z.string(), pinned: z.boolean() }),
] as const;

export const userEvents = [
  sync("user_message", {
    messageId: z.string(),
    text: z.string(),
    /** The whole text when it is too long for an event; `text` then holds its beginning. */
    textBlob: BlobRef.optional(),
    to: z.array(MemberName),
    /** True for a message to everyone; only such a message opens a round. */
    toAll: z.boolean(),
    attachments: z.array(Attachment),
    clientId: z.string().optional(),
    clientMessageId: z.string().optional(),
    origin: z.string().optional(),
    rounds: z.int().nonnegative().optional(),
    copiedFrom: z.string().optional(),
  }),
  sync("queue_updated", { items: z.array(QueueItem) }),
  stream("message_delivery", { messageId: z.string(), member: MemberName, state: DeliveryState, reason }),
  sync("steering", { messageId: z.string(), member: MemberName, turnId: z.string() }),
] as const;

export const turnEvents = [
  sync("turn_start", {
    turnId: z.string(),
    member: z.string(),
    cause: TurnCause,
    messageIds: z.array(z.string()),
    rootMessageId: z.string().optional(),
    round: z.int().positive().optional(),
    parentTurnId: z.string().optional(),
    toolCallId: z.string().optional(),
    /** The exchange that this turn answers, or whose answer it receives. */
    agentExchangeId: z.string().optional(),
    depth: z.int().nonnegative(),
    replaces: z.string().optional(),
    given: z.object({ fromSeq: z.int().nonnegative(), toSeq: z.int().nonnegative() }).optional(),
    /** Hash of the system prompt about the session, when it was sent with this turn. */
    brief: z.string().optional(),
    /** Source of an imported turn, such as a file of another program. */
    origin: z.string().optional(),
    model: z.string().optional(),
    copiedFrom: z.string().optional(),
  }),
  stream("status", { turnId: z.string(), member: z.string(), state: ActivityState, detail: z.string().optional() }),
  stream("retrying", {
    turnId: z.string(),
    member: z.string(),
    attempt: z.int(),
    of: z.int(),
    delayMs: z.number(),
    reason: z.string(),
  }),
  sync("turn_end", {
    turnId: z.string(),
    member: z.string(),
    outcome: Outcome,
    reason,
    error: z
      .object({
        code: z.string(),
        message: z.string(),
        /** Suggested fix. */
        hint: z.string().optional(),
        /** Last output of the program, or the response of a server. */
        detail: z.string().optional(),
        exitCode: z.int().optional(),
      })
      .optional(),
    usage: Usage.optional(),
    durationMs: z.number().nonnegative(),
    /** Usage of a copied or imported turn is shown but never totalled. */
    copied: z.boolean().optional(),
  }),
] as const;

const segment = { turnId: z.string(), member: z.string(), segmentId: z.string() };

export const textEvents = [
  stream("text_delta", { ...segment, text: z.string() }),
  stream("text_done", { ...segment, text: z.string(), interrupted: z.boolean().optional() }),
  stream("text_retracted", { ...segment, reason }),
  stream("thinking_start", segment),
  stream("thinking_delta", { ...segment, text: z.string() }),
  stream("thinking_done", { ...segment, text: z.string() }),
] as const;

const tool = { turnId: z.string(), member: z.string(), toolCallId: z.string() };

export const toolEvents = [
  sync("tool_call_start", {
    ...tool,
    nativeId: z.string().optional(),
    /** The model's id of the call, where the member's context is rebuilt from the log. */
    callId: z.string().optional(),
    name: z.string(),
    args: Json,
    title: z.string().optional(),
    kind: z.enum(["read", "search", "edit", "execute", "ask", "agent", "other"]).optional(),
    agentExchangeId: z.string().optional(),
  }),
  stream("tool_call_update", {
    ...tool,
    title: z.string().optional(),
    args: Json.optional(),
    detail: z.string().optional(),
    /** Decided without asking the user, by a rule or an earlier grant. */
    decided: z.object({ verdict: z.enum(["allow", "deny"]), by: z.enum(["rule", ...Reach.options]) }).optional(),
  }),
  stream("tool_output_delta", { ...tool, text: z.string(), stream: z.enum(["stdout", "stderr"]).optional() }),
  sync("tool_result", {
    ...tool,
    ok: z.boolean(),
    result: z.string().optional(),
    error: z.object({ code: ToolErrorCode, message: z.string() }).optional(),
    /** False when the agent reports the end of a command, but neither success nor failure. */
    isOutcomeKnown: z.literal(false).optional(),
    /** Present when the shown output is incomplete. */
    truncated: z
      .object({ totalBytes: z.int().nonnegative(), shownBytes: z.int().nonnegative(), blob: BlobRef.optional() })
      .optional(),
    diff: z.string().optional(),
    durationMs: z.number().nonnegative().optional(),
  }),
] as const;
