/** Every wish a client can state. A command may be refused; its acknowledgement says so, or at which seq it became a fact. */
import * as z from "zod";
import { AnswerError, fromAnswerError } from "./errors.ts";
import { Attachment, Json, MemberName, MemberSpec, Settings } from "./values.ts";

function command<const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.object({ type: z.literal(type), commandId: z.string().min(1).max(64), ...shape });
}

const messageId = z.string().min(1);
const message = {
  text: z.string(),
  /** Names as given; absent or ["all"] means everyone. `@name` at the start of the text addresses too. */
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
    /** How far an answer had been read aloud, and which turn it was where that is not plain. */
    audioTruncatedAtMs: z.number().optional(),
    audioTurnId: z.string().optional(),
    /** The turns took longer than their client waits: they end timed_out, which says after how long. */
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
    /** Why it is denied, in words for the agent; only with a refusal of an approval. */
    reason: z.string().min(1).max(2_000).optional(),
    /** What the others are told about who answered, such as "browser 7Q2M". */
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
  /** How hard a member's model is to think; without `effort` that is left to the agent. Refused where it cannot be told. */
  command("switch_effort", { member: MemberName, effort: z.string().min(1).max(32).optional() }),
  command("set_settings", { settings: Settings.partial() }),
  command("plan_decision", {
    planId: z.string(),
    decision: z.enum(["approve", "reject", "edit"]),
    text: z.string().optional(),
  }),
  command("minutes", { by: MemberName.optional() }),
  /** What members may do without asking; answered with `Permissions`. */
  command("list_permissions", {}),
  /** Takes back what the user has allowed; answered with `Revoked`. */
  command("revoke_permission", { permissionId: z.string().min(1).max(64) }),
  command("list_files", { query: z.string(), limit: z.int().positive().max(1000) }),
] as const;

export const Command = z.discriminatedUnion("type", commandSchemas);
export type Command = z.infer<typeof Command>;
export type CommandType = Command["type"];
export type CommandOf<Type extends CommandType> = Extract<Command, { type: Type }>;

/** `seq` is the head of the log when the wish had become fact. `result` is for commands that answer something. */
export const Ack = z.discriminatedUnion("ok", [
  z.object({ commandId: z.string(), ok: z.literal(true), seq: z.int().nonnegative(), result: Json.optional() }),
  z.object({ commandId: z.string(), ok: z.literal(false), error: AnswerError }),
]);
export type Ack = z.infer<typeof Ack>;

/** Throws what a refusal says. */
export function granted(ack: Ack): Extract<Ack, { ok: true }> {
  if (ack.ok) return ack;
  throw fromAnswerError(ack.error);
}
