/**
 * Every command of a client. A command may be refused; its acknowledgement carries the error, or the seq at which it
 * took effect.
 */

import * as z from "zod";
import { AnswerError, fromAnswerError } from "./errors.ts";
import { Attachment, Json, MemberName, MemberSpec, Settings } from "./values.ts";

function command<const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.object({ type: z.literal(type), commandId: z.string().min(1).max(64), ...shape });
}

const messageId = z.string().min(1);
const message = {
  text: z.string(),
  /** Member names; absent or ["all"] means everyone. `@name` at the start of the text addresses members too. */
  to: z.array(z.string()).optional(),
  attachments: z.array(Attachment).optional(),
  clientMessageId: z.string().min(1).max(64),
  origin: z.string().optional(),
  /** Rounds of discussion after the first answers, instead of the session's `auto_rounds`. */
  rounds: z.int().nonnegative().max(100).optional(),
};

export const commandSchemas = [
  command("send", message),
  command("steer", message),
  command("queue_add", message),
  command("queue_edit", { messageId, text: z.string(), to: z.array(z.string()).optional() }),
  command("queue_reorder", { messageIds: z.array(messageId) }),
  command("queue_remove", { messageId }),
  command("queue_promote", { messageId }),
  command("interrupt", {
    scope: z.enum(["own", "member", "all"]),
    member: MemberName.optional(),
    /** How much of an answer was read aloud, and of which turn where that is ambiguous. */
    audioTruncatedAtMs: z.number().optional(),
    audioTurnId: z.string().optional(),
    /** The client's own timeout passed: the turns end as timed_out after this time. */
    timeoutMs: z.number().positive().optional(),
  }),
  command("retry", { member: MemberName.optional(), turnId: z.string().optional() }),
  command("continue", {}),
  command("round", { rounds: z.int().positive().optional() }),
  command("mute", { member: MemberName }),
  command("unmute", { member: MemberName }),
  command("add_member", { spec: MemberSpec }),
  command("remove_member", { member: MemberName }),
  command("answer", {
    requestId: z.string(),
    result: Json,
    error: z.string().nullable().optional(),
    /** Reason of a denial, passed to the agent; approvals only. */
    reason: z.string().min(1).max(2_000).optional(),
    /** Shown to other clients as who answered, such as "browser 7Q2M". */
    by: z.string().min(1).max(64).optional(),
  }),
  command("compact", { member: MemberName.optional(), focus: z.string().optional() }),
  command("compact_undo", { member: MemberName.optional() }),
  command("pin", { messageId, pinned: z.boolean() }),
  command("clear", {}),
  command("fork", { seq: z.int().positive().optional(), title: z.string().optional() }),
  command("archive", { archived: z.boolean() }),
  command("rename", { title: z.string().min(1).max(200) }),
  command("switch_model", { member: MemberName, model: z.string().min(1) }),
  /** Reasoning effort; without `effort` the agent decides. Refused for agents that cannot be told. */
  command("switch_effort", { member: MemberName, effort: z.string().min(1).max(32).optional() }),
  command("set_settings", { settings: Settings.partial() }),
  command("plan_decision", {
    planId: z.string(),
    decision: z.enum(["approve", "reject", "edit"]),
    text: z.string().optional(),
  }),
  command("minutes", { by: MemberName.optional() }),
  /** What members may do without asking; the result is `Permissions`. */
  command("list_permissions", {}),
  /** Revokes a grant of the user; the result is `Revoked`. */
  command("revoke_permission", { permissionId: z.string().min(1).max(64) }),
  command("list_files", { query: z.string(), limit: z.int().positive().max(1000) }),
] as const;

export const Command = z.discriminatedUnion("type", commandSchemas);
export type Command = z.infer<typeof Command>;
export type CommandType = Command["type"];
export type CommandOf<Type extends CommandType> = Extract<Command, { type: Type }>;

/** `seq` is the head of the log when the command had taken effect. */
export const Ack = z.discriminatedUnion("ok", [
  z.object({ commandId: z.string(), ok: z.literal(true), seq: z.int().nonnegative(), result: Json.optional() }),
  z.object({ commandId: z.string(), ok: z.literal(false), error: AnswerError }),
]);
export type Ack = z.infer<typeof Ack>;

/** Throws the error of a refusal. */
export function granted(ack: Ack): Extract<Ack, { ok: true }> {
  if (ack.ok) return ack;
  throw fromAnswerError(ack.error);
}

/**
 * Commands that are safe to repeat when their acknowledgement was lost. The first three carry an id that identifies a
 * repeat; the others are idempotent.
 */
const REPEATABLE: ReadonlySet<CommandType> = new Set<CommandType>([
  ...(["send", "steer", "queue_add"] as const),
  ...(["mute", "unmute", "pin", "archive", "rename", "switch_model", "switch_effort", "set_settings"] as const),
  ...(["list_files", "list_permissions"] as const),
]);

export function isRepeatable(type: CommandType): boolean {
  return REPEATABLE.has(type);
}
