/**
 * Events around the conversation: council, requests, exchanges between members, plans, compaction, interrupts and
 * maintenance.
 */
import * as z from "zod";
import { derived, stream, sync } from "./define.ts";
import { ContextEntry } from "./context-entry.ts";
import { Cover, Reach } from "./permissions.ts";
import { UiRequestBody } from "./requests.ts";
import { BlobRef, FileChange, Json, LimitName, LimitScope, MemberName, Outcome, PlanItem, Usage } from "./values.ts";

export const councilEvents = [
  sync("council_settled", {
    /** superseded: another message to all arrived; all_failed: no member completed a turn in this round. */
    why: z.enum(["cap", "agreed", "interrupted", "nobody_left", "superseded", "all_failed"]),
    rootMessageId: z.string(),
    round: z.int().nonnegative(),
  }),
  sync("council_paused", {
    why: z.enum(["limit", "restart"]),
    /** The limit reached: turns, minutes, tokens or usd. */
    limit: z.string().optional(),
    /** Reached by one message or by the session as a whole. */
    scope: LimitScope.optional(),
    message: z.string(),
    rootMessageId: z.string().optional(),
  }),
  /** The user continues the discussion: rounds it may have now, and limits that were raised. */
  sync("council_resumed", {
    rootMessageId: z.string().optional(),
    /** Includes the opening round. */
    rounds: z.int().positive().optional(),
    raised: z.array(z.object({ scope: LimitScope, limit: LimitName, to: z.number().positive() })).optional(),
    clientId: z.string().optional(),
  }),
  sync("minutes", { text: z.string(), by: MemberName.optional(), rootMessageId: z.string().optional() }),
] as const;

export const requestEvents = [
  sync("ui_request", {
    requestId: z.string(),
    member: z.string(),
    toolCallId: z.string().optional(),
    request: UiRequestBody,
    timeoutMs: z.number().positive(),
    /** The answer used on timeout. */
    default: Json,
  }),
  sync("ui_response", {
    requestId: z.string(),
    result: Json,
    error: z.string().nullable(),
    /** The user's reason for a denial, passed to the agent. */
    reason: z.string().optional(),
    clientId: z.string().optional(),
    /** The name that the answering client gave itself. */
    by: z.string().optional(),
  }),
  sync("ui_cancelled", {
    requestId: z.string(),
    reason: z.enum(["answered_elsewhere", "expired", "cancelled", "restart"]),
  }),
  /** The user revokes a grant; without `cover`, the one for all files here. */
  sync("permission_revoked", { reach: Reach, cover: Cover.optional(), clientId: z.string().optional() }),
  stream("ui_notify", { message: z.string(), notifyType: z.enum(["info", "warn", "error", "success"]) }),
  stream("ui_status", { key: z.string(), text: z.string().nullable() }),
  stream("ui_widget", {
    key: z.string(),
    content: z.union([z.string(), z.array(z.string()), z.null()]),
    opts: z.record(z.string(), Json),
  }),
  stream("ui_working", { message: z.string().nullable() }),
  stream("ui_set_title", { title: z.string() }),
  stream("ui_set_editor_text", { text: z.string() }),
] as const;

export const agentEvents = [
  sync("agent_message", {
    agentExchangeId: z.string(),
    member: MemberName,
    to: MemberName,
    text: z.string(),
    wait: z.boolean(),
    toolCallId: z.string().optional(),
  }),
  sync("agent_callback_result", { agentExchangeId: z.string(), member: MemberName, ok: z.boolean(), text: z.string() }),
  sync("subagent_spawned", {
    turnId: z.string(),
    member: z.string(),
    subagentTurnId: z.string(),
    name: z.string(),
    task: z.string(),
    depth: z.int().positive(),
    toolCallId: z.string().optional(),
  }),
  sync("subagent_result", {
    turnId: z.string(),
    member: z.string(),
    subagentTurnId: z.string(),
    outcome: Outcome,
    text: z.string().optional(),
  }),
] as const;

export const workEvents = [
  stream("plan_update", {
    planId: z.string(),
    items: z.array(PlanItem),
    explanation: z.string().optional(),
    needsDecision: z.boolean().optional(),
  }),
  sync("plan_decision", {
    planId: z.string(),
    decision: z.enum(["approve", "reject", "edit"]),
    text: z.string().optional(),
    clientId: z.string().optional(),
  }),
  stream("change_report", { files: z.array(FileChange), truncatedCount: z.int().nonnegative() }),
  stream("finalize_task", { summary: z.string() }),
  stream("model_fallback", { preferred: z.string(), actual: z.string(), reason: z.string() }),
  stream("context_update", {
    member: z.string(),
    used: z.number().nonnegative(),
    window: z.number().positive(),
    compactAt: z.number().positive().optional(),
    measured: z.boolean(),
  }),
  /** A member's context was compacted; the log keeps what was left out. 0 tokens: unknown. */
  sync("compaction", {
    member: z.string(),
    summary: z.string(),
    before: z.number(),
    after: z.number(),
    /** Context from here on is unchanged. */
    firstKeptSeq: z.int().positive(),
    /** Done by the agent's own program; its content is unknown to us. */
    native: z.boolean().optional(),
    /** `before` was counted by the model, not estimated. */
    measured: z.boolean().optional(),
    /** Triggered by a nearly full window, not by a command. */
    automatic: z.boolean().optional(),
    focus: z.string().optional(),
    /** Number of turns left out. */
    folded: z.int().nonnegative().optional(),
    firstKeptTurnId: z.string().optional(),
    /** Older turns that stay because they are pinned: whole, or only their prompt. */
    pinned: z.array(z.object({ turnId: z.string(), seq: z.int().positive(), whole: z.boolean() })).optional(),
    /** Pinned messages and turns of others that `told` quotes. */
    quoted: z.array(z.string()).optional(),
    /** What the member reads in place of the compacted turns. */
    told: z.string().optional(),
    /** The user's own text that `told` repeats. */
    words: z.array(z.string()).optional(),
    /** Cost of the summary; part of the turn's usage when made inside a turn. */
    usage: Usage.optional(),
  }),
  sync("compaction_undone", { member: z.string(), compactionId: z.string(), clientId: z.string().optional() }),
  /** A compaction between turns was requested; `compaction` or `compaction_failed` follows. */
  stream("compaction_started", {
    member: z.string(),
    focus: z.string().optional(),
    clientId: z.string().optional(),
  }),
  stream("compaction_failed", { member: z.string(), reason: z.string() }),
  /**
   * One step of what a member's model read and answered; in a blob when large. The member's context is rebuilt from
   * these.
   */
  stream("context_entry", {
    turnId: z.string(),
    member: z.string(),
    entry: ContextEntry.optional(),
    blob: BlobRef.optional(),
  }),
  stream("usage", { turnId: z.string(), member: z.string(), usage: Usage }),
  sync("output_cancelled", {
    by: z.string(),
    scope: z.enum(["own", "member", "all"]),
    turnIds: z.array(z.string()),
    /** How much of an answer was read aloud, and of which turn where that is ambiguous. */
    audioTruncatedAtMs: z.number().optional(),
    audioTurnId: z.string().optional(),
  }),
] as const;

export const maintenanceEvents = [
  sync("recovered", {
    turnIds: z.array(z.string()),
    tornBytes: z.int().nonnegative(),
    tornFile: z.string().optional(),
  }),
  sync("read_only", { fromTs: z.number(), toTs: z.number(), reason: z.string(), dropped: z.int().nonnegative() }),
  sync("mirrored", { eventSeq: z.int().positive(), number: z.int().positive(), hash: z.string() }),
  stream("warning", {
    code: z.string(),
    message: z.string(),
    detail: z.string().optional(),
    /** For `approval_not_kept`: the request whose permanent grant could not be stored. */
    requestId: z.string().optional(),
  }),
  stream("error", { code: z.string(), message: z.string(), detail: z.string().optional() }),
  derived("damage", {
    fromSeq: z.int().positive(),
    toSeq: z.int().positive(),
    offset: z.int().nonnegative(),
    bytes: z.int().nonnegative(),
  }),
] as const;
