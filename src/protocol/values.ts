/** Values that events and commands are composed of. */
import * as z from "zod";

export const Json = z.json();
export type Json = z.infer<typeof Json>;

export const MEMBER_NAME = /^[a-z][a-z0-9_-]{0,31}$/;
export const MemberName = z
  .string()
  .regex(MEMBER_NAME, "a member name is up to 32 lower-case letters, digits, - or _")
  .refine((name) => name !== "all", '"all" means everyone and cannot be a member\'s name');

export const AgentKind = z.enum(["claude", "codex", "cursor", "pi", "opencode", "acp", "openai", "embedded"]);
export type AgentKind = z.infer<typeof AgentKind>;

export const Mode = z.enum(["broadcast", "sequential"]);
export type Mode = z.infer<typeof Mode>;

export const SHA256 = /^[0-9a-f]{64}$/;

/** A body too large for an event, stored by hash; head and tail allow a preview without it. */
export const BlobRef = z.object({
  sha256: z.string().regex(SHA256),
  bytes: z.int().nonnegative(),
  mime: z.string().optional(),
  head: z.string().optional(),
  tail: z.string().optional(),
});
export type BlobRef = z.infer<typeof BlobRef>;

export const Attachment = z.object({ name: z.string(), mime: z.string(), blob: BlobRef });
export type Attachment = z.infer<typeof Attachment>;

export const Usage = z.object({
  inputTokens: z.number().nonnegative(),
  outputTokens: z.number().nonnegative(),
  cacheReadTokens: z.number().nonnegative().optional(),
  cacheWriteTokens: z.number().nonnegative().optional(),
  reasoningTokens: z.number().nonnegative().optional(),
  costUsd: z.number().nonnegative().optional(),
  /** True when the agent estimated, because the provider reported nothing. */
  estimated: z.boolean().optional(),
});
export type Usage = z.infer<typeof Usage>;

/** Default cost limit per message, in dollars. */
export const USD_LIMIT = 5;

const limitShape = {
  turns: z.int().positive(),
  minutes: z.number().positive(),
  tokens: z.int().positive(),
  usd: z.number().positive(),
};
export const LimitName = z.enum(["turns", "minutes", "tokens", "usd"]);
export type LimitName = z.infer<typeof LimitName>;
export const LimitScope = z.enum(["message", "session"]);
export type LimitScope = z.infer<typeof LimitScope>;

/** Limits per message before the council pauses, and for the whole session: ten times as much by default. */
export const Limits = z.object({ ...limitShape, session: z.object(limitShape).partial().optional() });
export type Limits = z.infer<typeof Limits>;

/** Thread files beside the session; absent values are chosen and recorded when the mirror starts. */
export const ThreadMirror = z.object({
  /** The `.kd` directory, absolute. */
  kd: z.string().optional(),
  branch: z.string().optional(),
  thread: z.string().optional(),
});
export type ThreadMirror = z.infer<typeof ThreadMirror>;

/**
 * Settings of a session. They enter the log as an event, so that a fold never reads configuration. Times in seconds.
 */
export const Settings = z.object({
  mode: Mode,
  /** Rounds of discussion after the first answers; 0 for none. */
  auto_rounds: z.int().nonnegative(),
  /**
   * Set when `auto_rounds` is a default: it then applies only when a member has a model, since rule-based members have
   * nothing to discuss.
   */
  rounds_need_model: z.boolean().optional(),
  /** Time limit of a turn, seconds. */
  timeout: z.number().positive(),
  /** Time limit of a request to the user, seconds. */
  request_timeout: z.number().positive(),
  order: z.array(MemberName),
  limits: Limits,
  writable: z.boolean(),
  preamble: z.string().min(1),
  prompt: z.string().optional(),
  mirror: ThreadMirror.nullable().optional(),
});
export type Settings = z.infer<typeof Settings>;

/** Dollars per million tokens; cached input costs a tenth of `input` by default. */
export const Price = z.object({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cached: z.number().nonnegative().optional(),
});
export type Price = z.infer<typeof Price>;

export const MemberSpec = z.object({
  name: MemberName,
  kind: AgentKind,
  model: z.string().optional(),
  color: z.string().optional(),
  command: z.array(z.string()).min(1).optional(),
  baseUrl: z.string().optional(),
  /** API of the model server; chat completions by default. */
  api: z.enum(["chat", "responses"]).optional(),
  prompt: z.string().optional(),
  prompts: z.object({ council: z.string().optional() }).optional(),
  /** Context window in tokens, for agents that do not report it. */
  window: z.int().positive().optional(),
  /** Environment variables that the agent may always see. */
  env: z.array(z.string()).optional(),
  /** Token prices, for agents that do not report cost. */
  price: Price.optional(),
  /** Reasoning effort, in the agent's own terms. */
  effort: z.string().min(1).max(32).optional(),
});
export type MemberSpec = z.infer<typeof MemberSpec>;

/** An approval rule as written: "tool" or "tool: pattern". */
export const APPROVAL_RULE = /^\s*([\w.*?/@-]{1,200})\s*(?::\s*(\S(?:[^\n\r\0]{0,1000}\S)?)\s*)?$/;

export const Capabilities = z.object({
  steer: z.boolean(),
  keepsContext: z.boolean(),
  tools: z.boolean(),
  requests: z.boolean(),
  images: z.boolean(),
  switchModel: z.boolean(),
  /** Who compacts its context: "table" where the log holds all of it, "native" for the agent's own program. */
  compact: z.enum(["table", "native"]).optional(),
  /** Whether it reports the cost of its turns; absent when unknown. */
  cost: z.boolean().optional(),
  /** Reasoning efforts it accepts; empty where only its program knows them. Absent: none can be set. */
  effort: z.array(z.string()).optional(),
});
export type Capabilities = z.infer<typeof Capabilities>;

export const NO_CAPABILITIES: Capabilities = {
  steer: false,
  keepsContext: false,
  tools: false,
  requests: false,
  images: false,
  switchModel: false,
};

/**
 * What keeps a member from changing files unasked. sandbox: the system refuses. own_mode: the agent's read-only mode,
 * selected and confirmed. asks_first: it asks before acting, as a trial showed. unguarded: nothing.
 */
export const Guard = z.enum(["sandbox", "own_mode", "asks_first", "unguarded"]);
export type Guard = z.infer<typeof Guard>;

/** A model that a member can be switched to, as its program or server names it. */
export const OfferedModel = z.object({
  id: z.string().min(1),
  name: z.string().optional(),
  description: z.string().optional(),
});
export type OfferedModel = z.infer<typeof OfferedModel>;

export const QueueItem = z.object({
  messageId: z.string(),
  text: z.string(),
  textBlob: BlobRef.optional(),
  /** Member names, or `all` for the members at the time it leaves the queue. */
  to: z.array(z.string().regex(MEMBER_NAME)),
  attachments: z.array(Attachment),
  clientId: z.string().optional(),
  clientMessageId: z.string().optional(),
  origin: z.string().optional(),
  /** Rounds of discussion after the first answers; defaults to `auto_rounds`. */
  rounds: z.int().nonnegative().optional(),
  ts: z.number(),
});
export type QueueItem = z.infer<typeof QueueItem>;

export const Outcome = z.enum(["completed", "interrupted", "errored", "timed_out"]);
export type Outcome = z.infer<typeof Outcome>;

export const TurnCause = z.enum(["user", "round", "exchange", "retry", "subagent", "idle", "imported", "minutes"]);

export const DeliveryState = z.enum(["pending", "delivered", "answering", "answered", "dropped"]);
export type DeliveryState = z.infer<typeof DeliveryState>;

export const ActivityState = z.enum(["model_loading", "thinking", "calling_tool", "working", "idle"]);
export type ActivityState = z.infer<typeof ActivityState>;

export const ToolErrorCode = z.enum([
  "tool_error",
  "tool_interrupted",
  "rate_limit_tools",
  "tool_denied",
  "tool_retracted",
]);
export type ToolErrorCode = z.infer<typeof ToolErrorCode>;

export const PlanItem = z.object({ text: z.string(), status: z.enum(["pending", "in_progress", "completed"]) });
export type PlanItem = z.infer<typeof PlanItem>;

export const FileChange = z.object({
  path: z.string(),
  status: z.enum(["added", "modified", "deleted", "renamed"]),
  added: z.int().nonnegative().optional(),
  removed: z.int().nonnegative().optional(),
  diff: z.string().optional(),
});
export type FileChange = z.infer<typeof FileChange>;

/** A reader's position in a session. A cursor unknown to the log gets a resync. */
export const Cursor = z.object({ epoch: z.int().nonnegative(), seq: z.int().nonnegative() });
export type Cursor = z.infer<typeof Cursor>;
