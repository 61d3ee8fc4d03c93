/** The values that events and commands are made of. */
import * as z from "zod";

export const Json = z.json();
export type Json = z.infer<typeof Json>;

export const MEMBER_NAME = /^[a-z][a-z0-9_-]{0,31}$/;
export const MemberName = z
  .string()
  .regex(MEMBER_NAME, "a member name is lower-case: letters, digits, - and _, at most 32")
  .refine((name) => name !== "all", '"all" means everyone and cannot be a member\'s name');

export const AgentKind = z.enum(["claude", "codex", "cursor", "pi", "opencode", "acp", "openai", "embedded"]);
export type AgentKind = z.infer<typeof AgentKind>;

export const Mode = z.enum(["broadcast", "sequential"]);
export type Mode = z.infer<typeof Mode>;

export const SHA256 = /^[0-9a-f]{64}$/;

/** A body too large for an event, stored by hash; head and tail let a reader show something without it. */
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
  /** True when the agent counted by a rule of thumb, because nobody told it. */
  estimated: z.boolean().optional(),
});
export type Usage = z.infer<typeof Usage>;

/** Dollars that one message may cost, where nobody says otherwise. */
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

/** What one message may cost before the council pauses, and the session as a whole: ten times as much unless it says so. */
export const Limits = z.object({ ...limitShape, session: z.object(limitShape).partial().optional() });
export type Limits = z.infer<typeof Limits>;

/** Thread files beside the session; what is absent is chosen when the mirror begins, and then said. */
export const ThreadMirror = z.object({
  /** The `.kd` directory, absolute. */
  kd: z.string().optional(),
  branch: z.string().optional(),
  thread: z.string().optional(),
});
export type ThreadMirror = z.infer<typeof ThreadMirror>;

/** What governs a session. It enters the log as an event, so a fold never reads configuration. Times are seconds. */
export const Settings = z.object({
  mode: Mode,
  /** Rounds of discussion after the first answers; 0 for none. */
  auto_rounds: z.int().nonnegative(),
  /** Set when nobody chose `auto_rounds`: it then counts only where a model is at the table, since rules have nothing to discuss. */
  rounds_need_model: z.boolean().optional(),
  /** Seconds a turn may take. */
  timeout: z.number().positive(),
  /** Seconds a request to the user may stay open. */
  request_timeout: z.number().positive(),
  order: z.array(MemberName),
  limits: Limits,
  writable: z.boolean(),
  preamble: z.string().min(1),
  prompt: z.string().optional(),
  mirror: ThreadMirror.nullable().optional(),
});
export type Settings = z.infer<typeof Settings>;

/** Dollars for a million tokens; those from a cache cost a tenth of `input` unless it is said. */
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
  /** How a model server is spoken to; chat completions when absent. */
  api: z.enum(["chat", "responses"]).optional(),
  prompt: z.string().optional(),
  prompts: z.object({ council: z.string().optional() }).optional(),
  /** Tokens that fit into its context, for an agent that does not say so itself. */
  window: z.int().positive().optional(),
  /** Names of environment variables that the agent may see in any case. */
  env: z.array(z.string()).optional(),
  /** What its tokens cost, where it does not tell the cost itself. */
  price: Price.optional(),
  /** How hard its model is to think, in the agent's own words. */
  effort: z.string().min(1).max(32).optional(),
});
export type MemberSpec = z.infer<typeof MemberSpec>;

/** A rule about calls, as it is written: "tool" or "tool: pattern". */
export const APPROVAL_RULE = /^\s*([\w.*?/@-]{1,200})\s*(?::\s*(\S(?:[^\n\r\0]{0,1000}\S)?)\s*)?$/;

export const Capabilities = z.object({
  steer: z.boolean(),
  keepsContext: z.boolean(),
  tools: z.boolean(),
  requests: z.boolean(),
  images: z.boolean(),
  switchModel: z.boolean(),
  /** Who makes its context shorter: "table" where the log holds all of it, "native" where its own program does. */
  compact: z.enum(["table", "native"]).optional(),
  /** Whether it tells what its turns cost; absent where that is not known. */
  cost: z.boolean().optional(),
  /** The reasoning efforts it can be told; none named where only its program knows them. Absent: it can be told none. */
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
 * What keeps a member from changing files unasked. sandbox: the system refuses it. own_mode: the agent's own read-only
 * mode, selected and confirmed. asks_first: it asks before it acts, as a trial showed. unguarded: nothing does.
 */
export const Guard = z.enum(["sandbox", "own_mode", "asks_first", "unguarded"]);
export type Guard = z.infer<typeof Guard>;

/** A model that a member can be switched to, as its program or its server names it. */
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
  /** Member names, or `all` for whoever sits at the table when it leaves the queue. */
  to: z.array(z.string().regex(MEMBER_NAME)),
  attachments: z.array(Attachment),
  clientId: z.string().optional(),
  clientMessageId: z.string().optional(),
  origin: z.string().optional(),
  /** Rounds of discussion after the first answers; the session's `auto_rounds` when absent. */
  rounds: z.int().nonnegative().optional(),
  ts: z.number(),
});
export type QueueItem = z.infer<typeof QueueItem>;

export const Outcome = z.enum(["completed", "interrupted", "errored", "timed_out"]);
export type Outcome = z.infer<typeof Outcome>;

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

/** A reader's place in a session. A cursor that the log does not know gets a resync. */
export const Cursor = z.object({ epoch: z.int().nonnegative(), seq: z.int().nonnegative() });
export type Cursor = z.infer<typeof Cursor>;
