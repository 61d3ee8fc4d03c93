/** Schemas of every frame and response of linggen's protocol, from its description alone. Strict: no extra fields. */
import * as z from "zod";

const count = z.int().nonnegative();
const id = z.string().min(1);
const parent = z.string().nullable();

const head = { seq: count.positive(), rev: count.positive(), ts_ms: count };

function frame<const Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, idPattern: RegExp, shape: Shape) {
  return z.strictObject({ id: z.string().regex(idPattern), ...head, kind: z.literal(kind), ...shape });
}

const PlanItem = z.strictObject({
  title: z.string(),
  description: z.string().nullable().optional(),
  status: z.enum(["pending", "in_progress", "done", "skipped"]),
});
const plan = {
  summary: z.string(),
  items: z.array(PlanItem),
  status: z.enum(["planned", "approved", "executing", "completed"]),
  plan_text: z.string().nullable().optional(),
};

const Outcome = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("none") }),
  z.strictObject({
    type: z.literal("task"),
    title: z.string(),
    user_stories: z.array(z.string()),
    acceptance_criteria: z.array(z.string()),
    mermaid_wireframe: z.string().nullable(),
  }),
  z.strictObject({ type: z.literal("plan"), ...plan }),
  z.strictObject({ type: z.literal("plan_mode_requested"), reason: z.string().nullable() }),
]);

export const Questions = z.array(
  z.strictObject({
    question: z.string(),
    header: z.string(),
    options: z.array(
      z.strictObject({ label: z.string(), description: z.string().nullable(), preview: z.string().nullable() }),
    ),
    multi_select: z.boolean(),
  }),
);

export const QueueItems = z.array(
  z.strictObject({ id, agent_id: id, session_id: id, preview: z.string().max(101), timestamp: count }),
);

const status = z.enum(["model_loading", "thinking", "calling_tool", "working"]);

/** By kind and phase. */
export const frames: Readonly<Record<string, z.ZodType>> = {
  message: frame("message", /^msg-\d+$/, {
    text: z.string(),
    agent_id: id,
    data: z.strictObject({ from: id, to: z.string(), role: z.enum(["user", "assistant"]) }),
  }),
  "activity/doing": z.union([
    frame("activity", /^status-\d+$/, {
      phase: z.literal("doing"),
      text: z.string().min(1),
      agent_id: id,
      data: z.strictObject({ status, parent_id: parent }),
    }),
    frame("activity", /^idle-trigger-.+-\d+$/, {
      phase: z.literal("doing"),
      text: z.literal("Idle prompt triggered"),
      agent_id: id,
      project_root: id,
      data: z.strictObject({ status: z.literal("idle_prompt_triggered") }),
    }),
  ]),
  "activity/done": z.union([
    frame("activity", /^status-\d+$/, {
      phase: z.literal("done"),
      text: z.string().min(1),
      agent_id: id,
      data: z.strictObject({ status, parent_id: parent }),
    }),
    frame("activity", /^act-\d+$/, {
      phase: z.literal("done"),
      agent_id: id,
      data: z.strictObject({ status: z.literal("idle"), parent_id: parent }),
    }),
  ]),
  queue: frame("queue", /^queue-.*\|.+\|.+$/, {
    text: z.string().regex(/^Queued \d+ message\(s\)$/),
    agent_id: id,
    session_id: id,
    project_root: z.string(),
    data: z.strictObject({ items: QueueItems }),
  }),
  "run/sync": frame("run", /^run-sync-\d+$/, { phase: z.literal("sync"), text: z.literal("State updated") }),
  "run/resync": frame("run", /^run-resync-\d+$/, {
    phase: z.literal("resync"),
    text: z.literal("Resync required"),
    data: z.strictObject({ reason: z.literal("broadcast_lag"), lagged_count: count.nullable() }),
  }),
  "run/outcome": frame("run", /^run-outcome-.+-\d+$/, {
    phase: z.literal("outcome"),
    text: z.literal("Run outcome"),
    agent_id: id,
    data: z.strictObject({ outcome: Outcome }),
  }),
  "run/context_usage": frame("run", /^run-context-.+$/, {
    phase: z.literal("context_usage"),
    agent_id: id,
    data: z.strictObject({
      agent_id: id,
      stage: z.string(),
      message_count: count,
      char_count: count,
      estimated_tokens: count,
      token_limit: count.nullable(),
      actual_prompt_tokens: count.nullable(),
      actual_completion_tokens: count.nullable(),
      compressed: z.boolean(),
      summary_count: count,
    }),
  }),
  "run/subagent_spawned": frame("run", /^run-subagent-spawned-.+-\d+$/, {
    phase: z.literal("subagent_spawned"),
    text: z.string().startsWith("Spawned subagent "),
    agent_id: id,
    data: z.strictObject({ subagent_id: id, task: z.string() }),
  }),
  "run/subagent_result": frame("run", /^run-subagent-result-.+-\d+$/, {
    phase: z.literal("subagent_result"),
    text: z.string(),
    agent_id: id,
    data: z.strictObject({ subagent_id: id, outcome: Outcome }),
  }),
  "run/plan_update": frame("run", /^run-plan-.+-\d+$/, {
    phase: z.literal("plan_update"),
    text: z.string(),
    agent_id: id,
    data: z.strictObject({ plan: z.strictObject(plan) }),
  }),
  "run/change_report": frame("run", /^run-change-report-.+-\d+$/, {
    phase: z.literal("change_report"),
    text: z.string(),
    agent_id: id,
    data: z.strictObject({
      files: z.array(z.strictObject({ path: z.string(), summary: z.string(), diff: z.string().max(12_100) })).max(20),
      truncated_count: count,
    }),
  }),
  token: frame("token", /^token-.+-\d+$/, {
    text: z.string(),
    agent_id: id,
    data: z.strictObject({ thinking: z.literal(true) }).optional(),
  }),
  "token/done": frame("token", /^token-.+-\d+$/, {
    phase: z.literal("done"),
    text: z.literal(""),
    agent_id: id,
    data: z.strictObject({ thinking: z.literal(true) }),
  }),
  text_segment: frame("text_segment", /^text-seg-/, {
    text: z.string(),
    agent_id: id,
    data: z.strictObject({ parent_id: parent }),
  }),
  ask_user: frame("ask_user", /^ask-user-.+$/, {
    agent_id: id,
    data: z.strictObject({ question_id: id, questions: Questions }),
  }),
  model_fallback: frame("model_fallback", /^model-fallback-/, {
    text: z.string().regex(/^Using [^]* model \([^]* unavailable: [^]*\)$/),
    agent_id: id,
    data: z.strictObject({ preferred_model: z.string(), actual_model: z.string(), reason: z.string() }),
  }),
  tool_progress: frame("tool_progress", /^tool-progress-/, {
    text: z.string(),
    agent_id: id,
    data: z.strictObject({ tool: z.string(), line: z.string(), stream: z.enum(["stdout", "stderr"]) }),
  }),
  "content_block/start": frame("content_block", /^cb-start-.+$/, {
    phase: z.literal("start"),
    agent_id: id,
    data: z.strictObject({
      block_id: id,
      block_type: z.enum(["tool_use", "text", "tool_result", "thinking"]),
      tool: z.string().nullable(),
      args: z.string().nullable(),
      parent_id: parent,
    }),
  }),
  "content_block/update": frame("content_block", /^cb-update-.+-\d+$/, {
    phase: z.literal("update"),
    text: z.string(),
    agent_id: id,
    data: z.strictObject({
      block_id: id,
      status: z.enum(["done", "failed"]),
      summary: z.string(),
      is_error: z.boolean(),
      parent_id: parent,
    }),
  }),
  turn_complete: frame("turn_complete", /^turn-complete-.+-\d+$/, {
    agent_id: id,
    data: z.strictObject({ duration_ms: count.nullable(), context_tokens: count.nullable(), parent_id: parent }),
  }),
};

export interface Frame {
  id: string;
  seq: number;
  rev: number;
  ts_ms: number;
  kind: string;
  phase?: string;
  text?: string;
  agent_id?: string;
  session_id?: string;
  project_root?: string;
  // The shape of each kind is checked by its schema; tests read what they have checked.
  data?: Record<string, never>;
}

export function kindOf({ kind, phase }: { kind: string; phase?: string }): string {
  return phase === undefined ? kind : `${kind}/${phase}`;
}

/** Error of a frame; undefined when it is valid. */
export function problemWith(value: unknown): string | undefined {
  const name = kindOf(value as Frame);
  const schema = frames[name];
  if (schema === undefined) return `there is no frame ${name}`;
  const parsed = schema.safeParse(value);
  if (!parsed.success) return `${name}: ${z.prettifyError(parsed.error)}`;
  const { seq, rev } = value as Frame;
  return seq === rev ? undefined : `${name}: rev ${rev} is not seq ${seq}`;
}

const secs = count;

export const Run = z.strictObject({
  run_id: id,
  repo_path: z.string(),
  session_id: id,
  agent_id: id,
  agent_kind: z.string().nullable(),
  parent_run_id: z.string().nullable(),
  status: z.enum(["running", "completed", "failed", "cancelled"]),
  detail: z.string().nullable(),
  started_at: secs,
  ended_at: secs.nullable(),
});
export const Runs = z.array(Run);

const SavedMessage = z.strictObject({
  agent_id: z.string(),
  from_id: id,
  to_id: z.string(),
  content: z.string(),
  timestamp: secs,
  is_observation: z.boolean(),
});
export const RunContext = z.strictObject({
  run: Run,
  summary: z.strictObject({
    message_count: count,
    user_messages: count,
    agent_messages: count,
    system_messages: count,
    started_at: secs,
    ended_at: secs.nullable(),
  }),
  messages: z.array(SavedMessage).nullable(),
});

export const WorkspaceState = z.strictObject({
  active_task: z.null(),
  user_stories: z.null(),
  tasks: z.array(z.never()),
  messages: z.array(
    z.tuple([
      z.strictObject({
        type: z.literal("message"),
        id: z.string().regex(/^msg-\d+$/),
        from: id,
        to: z.string(),
        ts: secs,
        task_id: z.null(),
      }),
      z.string(),
    ]),
  ),
});
