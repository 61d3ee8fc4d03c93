/** Schemas of every line sent to clients of wire 003, written from the format alone. Strict: no extra fields. */
import * as z from "zod";

const struct = <Name extends string>(name: Name) => z.literal(`Elixir.${name}`);
const anything = z.json();
const fields = z.record(z.string(), anything);
const ms = z.int().positive();

const Text = z.strictObject({
  __struct__: struct("Ai.Types.TextContent"),
  type: z.literal("text"),
  text: z.string(),
  text_signature: z.null(),
});
const Thinking = z.strictObject({
  __struct__: struct("Ai.Types.ThinkingContent"),
  type: z.literal("thinking"),
  thinking: z.string(),
  thinking_signature: z.null(),
});
const ToolCall = z.strictObject({
  __struct__: struct("Ai.Types.ToolCall"),
  type: z.literal("tool_call"),
  id: z.string().min(1),
  name: z.string(),
  arguments: fields,
  thought_signature: z.null(),
});
const Image = z.strictObject({
  __struct__: struct("Ai.Types.ImageContent"),
  type: z.literal("image"),
  data: z.base64(),
  mime_type: z.string(),
});
const count = z.number().nonnegative();
const Usage = z.strictObject({
  __struct__: struct("Ai.Types.Usage"),
  input: count,
  output: count,
  cache_read: count,
  cache_write: count,
  total_tokens: count,
  cost: z.strictObject({ input: count, output: count, cache_read: count, cache_write: count, total: count }),
});

const User = z.strictObject({
  __struct__: struct("Ai.Types.UserMessage"),
  role: z.literal("user"),
  content: z.union([z.string(), z.array(z.union([Text, Image]))]),
  timestamp: ms,
});
const Assistant = z.strictObject({
  __struct__: struct("Ai.Types.AssistantMessage"),
  role: z.literal("assistant"),
  content: z.array(z.union([Text, Thinking, ToolCall])),
  provider: z.string(),
  model: z.string(),
  api: z.string(),
  usage: Usage,
  stop_reason: z.enum(["stop", "length", "tool_use", "error", "aborted"]).nullable(),
  error_message: z.string().nullable(),
  timestamp: ms,
});
const ToolResultMessage = z.strictObject({
  __struct__: struct("Ai.Types.ToolResultMessage"),
  role: z.literal("tool_result"),
  tool_call_id: z.string().min(1),
  tool_name: z.string(),
  content: z.array(z.union([Text, Image])),
  details: fields,
  is_error: z.boolean(),
  timestamp: ms,
});
const Message = z.discriminatedUnion("role", [User, Assistant, ToolResultMessage]);
const ToolResult = z.strictObject({
  __struct__: struct("AgentCore.Types.AgentToolResult"),
  content: z.array(z.union([Text, Image])),
  details: fields,
});

const AssistantEvent = z
  .tuple([z.string(), z.int().nonnegative(), z.union([z.string(), ToolCall]), Assistant])
  .refine(([kind]) => /^(?:text|thinking|tool_call)_(?:start|delta|end)$/.test(kind), "unknown assistant event");

const alone = <Type extends string>(type: Type) => z.strictObject({ type: z.literal(type) });
const withData = <Type extends string, Data extends z.ZodType>(type: Type, data: Data) =>
  z.strictObject({ type: z.literal(type), data });
const toolHead = [z.string(), z.string(), fields] as const;

const Event = z.discriminatedUnion("type", [
  alone("agent_start"),
  withData("agent_end", z.tuple([z.array(Message)])),
  alone("turn_start"),
  withData("turn_end", z.tuple([Assistant, z.array(ToolResultMessage)])),
  withData("message_start", z.tuple([Message])),
  withData("message_update", z.tuple([Assistant, AssistantEvent])),
  withData("message_end", z.tuple([Message])),
  withData("tool_execution_start", z.tuple(toolHead)),
  withData("tool_execution_update", z.tuple([...toolHead, ToolResult])),
  withData("tool_execution_end", z.tuple([z.string(), z.string(), ToolResult, z.boolean()])),
  withData("error", z.tuple([z.string(), anything])),
  alone("quit"),
]);

const session = z.string().length(26);
const Model = z.strictObject({ provider: z.string().min(1), id: z.string().min(1) });
const line = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), ...shape });
const signal = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  line(type, { params: z.strictObject(shape), session_id: session });

const Option = z.strictObject({ label: z.string(), value: z.string(), description: z.string().nullable() });
const overlay = <Method extends string, Shape extends z.ZodRawShape>(method: Method, shape: Shape) =>
  line("ui_request", {
    id: z.string().min(1),
    method: z.literal(method),
    params: z.strictObject({ title: z.string(), ...shape, opts: fields }),
    session_id: session,
    member: z.string(),
    timeout_ms: z.number().positive(),
  });

const UiRequest = z.discriminatedUnion("method", [
  overlay("select", { options: z.array(Option).min(1) }),
  overlay("confirm", { message: z.string() }),
  overlay("input", { placeholder: z.string().nullable() }),
  overlay("editor", { prefill: z.string().nullable() }),
]);

const rest = z.discriminatedUnion("type", [
  line("ready", {
    cwd: z.string(),
    model: Model,
    debug: z.boolean(),
    ui: z.boolean(),
    primary_session_id: session.nullable(),
    active_session_id: session.nullable(),
    protocol_version: z.literal(1),
  }),
  line("event", { event: Event, session_id: session.optional(), event_seq: z.int().nonnegative().optional() }),
  line("stats", {
    session_id: session,
    stats: z.strictObject({
      session_id: session,
      message_count: count,
      turn_count: count,
      is_streaming: z.boolean(),
      cwd: z.string(),
      model: Model,
      thinking_level: z.string().nullable(),
    }),
  }),
  line("pong", {}),
  line("debug", { message: z.string(), argv: z.array(z.string()).optional() }),
  line("error", { message: z.string().min(1), session_id: z.string().optional() }),
  line("save_result", { ok: z.literal(true), path: z.string(), session_id: session }),
  line("sessions_list", {
    sessions: z.array(z.strictObject({ path: z.string(), id: session, timestamp: ms, cwd: z.string(), model: Model })),
    error: z.string().optional(),
  }),
  line("running_sessions", {
    sessions: z.array(
      z.strictObject({ session_id: session, cwd: z.string(), is_streaming: z.boolean(), model: Model }),
    ),
    error: z.null(),
  }),
  line("models_list", {
    providers: z.array(
      z.strictObject({ id: z.string(), models: z.array(z.strictObject({ id: z.string(), name: z.string() })) }),
    ),
  }),
  line("session_started", { session_id: session, cwd: z.string(), model: Model }),
  line("session_closed", { session_id: z.string(), reason: z.enum(["normal", "not_found", "error"]) }),
  line("active_session", { session_id: session.nullable() }),
  line("config_state", {
    config: z.strictObject({ claude_skip_permissions: z.boolean(), codex_auto_approve: z.boolean() }),
  }),
  signal("ui_notify", { message: z.string(), notify_type: z.enum(["info", "warning", "error", "success"]) }),
  signal("ui_status", { key: z.string(), text: z.string().nullable() }),
  signal("ui_widget", {
    key: z.string(),
    content: z.union([z.string(), z.array(z.string()), z.null()]),
    opts: fields,
  }),
  signal("ui_working", { message: z.string().nullable() }),
  signal("ui_set_title", { title: z.string() }),
  signal("ui_set_editor_text", { text: z.string() }),
  line("ui_cancel", { id: z.string(), reason: z.string(), session_id: session }),
]);

export const WireLine = z.union([rest, UiRequest]);
export type WireLine = z.infer<typeof WireLine>;
export type WireMessage = z.infer<typeof Message>;
export type WireAssistant = z.infer<typeof Assistant>;
