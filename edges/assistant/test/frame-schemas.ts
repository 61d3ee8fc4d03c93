/** Schemas of assistant's frames and chat events, written from its format and not from our code. */
import * as z from "zod";

const Mode = z.enum(["text", "speech", "both"]);
const Failure = z.strictObject({ code: z.string(), message: z.string() });
const Uuid = z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const Iso = z.iso.datetime();
const Record = z.record(z.string(), z.unknown());

const base = {
  id: Uuid,
  timestamp: z.int().nonnegative(),
  sessionId: z.string(),
  turnId: z.string().min(1).optional(),
  responseId: z.string().min(1).optional(),
};

function chat<const Type extends string, Shape extends z.ZodRawShape>(type: Type, payload: Shape) {
  return z.strictObject({ ...base, type: z.literal(type), payload: z.strictObject(payload) });
}

const text = { text: z.string() };

const Field = z.strictObject({
  id: z.string(),
  type: z.enum(["text", "textarea", "select", "multiselect", "radio"]),
  label: z.string(),
  required: z.boolean().optional(),
  placeholder: z.string().optional(),
  options: z.array(z.strictObject({ label: z.string(), value: z.string() })).optional(),
});

export const ChatEvent = z.discriminatedUnion("type", [
  chat("turn_start", { trigger: z.enum(["user", "callback", "system"]) }),
  chat("turn_end", {}),
  chat("user_message", { ...text, fromAgentId: z.string().optional(), fromSessionId: z.string().optional() }),
  chat("assistant_chunk", text),
  chat("assistant_done", text),
  chat("thinking_chunk", text),
  chat("thinking_done", text),
  chat("custom_message", { ...text, label: z.string().optional() }),
  chat("summary_message", { ...text, summaryType: z.enum(["compaction", "branch_summary"]).optional() }),
  chat("tool_call", { toolCallId: z.string(), toolName: z.string(), args: Record }),
  chat("tool_input_chunk", { toolCallId: z.string(), toolName: z.string(), chunk: z.string(), offset: z.int() }),
  chat("tool_output_chunk", {
    toolCallId: z.string(),
    toolName: z.string(),
    chunk: z.string(),
    offset: z.int().nonnegative(),
    stream: z.enum(["stdout", "stderr", "output"]).optional(),
  }),
  chat("tool_result", { toolCallId: z.string(), result: z.unknown(), error: Failure.optional() }),
  chat("agent_message", {
    messageId: z.string(),
    targetAgentId: z.string(),
    targetSessionId: z.string(),
    message: z.string(),
    wait: z.boolean(),
  }),
  chat("agent_callback", {
    messageId: z.string(),
    fromAgentId: z.string(),
    fromSessionId: z.string(),
    result: z.string(),
  }),
  chat("agent_switch", { fromAgentId: z.string(), toAgentId: z.string() }),
  // Both exist in later clients of the same version.
  chat("interaction_request", {
    toolCallId: z.string(),
    interactionId: z.string(),
    toolName: z.string(),
    interactionType: z.enum(["approval", "input"]),
    presentation: z.enum(["tool", "questionnaire"]).optional(),
    prompt: z.string().optional(),
    approvalScopes: z.array(z.enum(["once", "session", "always"])).optional(),
    inputSchema: z.strictObject({ fields: z.array(Field).min(1), initialValues: Record.optional() }).optional(),
  }),
  chat("interaction_response", {
    toolCallId: z.string(),
    interactionId: z.string(),
    action: z.enum(["approve", "deny", "submit", "cancel"]),
    approvalScope: z.enum(["once", "session", "always"]).optional(),
    input: Record.optional(),
    reason: z.string().optional(),
  }),
  chat("interrupt", { reason: z.enum(["user_cancel", "timeout", "error"]) }),
  chat("error", { code: z.string(), message: z.string() }),
]);
export type ChatEvent = z.infer<typeof ChatEvent>;

function frame<const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.strictObject({ type: z.literal(type), ...shape });
}

const exchange = { agentExchangeId: z.string().optional() };
const response = { responseId: z.string().min(1), sessionId: z.string().optional(), ...exchange };
const call = { callId: z.string(), toolName: z.string(), sessionId: z.string().optional(), ...exchange };
const session = { sessionId: z.string() };
const count = z.number().nonnegative().optional();

export const ServerFrame = z.discriminatedUnion("type", [
  frame("session_ready", {
    ...session,
    protocolVersion: z.literal(2),
    inputMode: Mode,
    outputMode: Mode,
    availableModels: z.array(z.string()).optional(),
    currentModel: z.string().optional(),
  }),
  frame("subscribed", session),
  frame("unsubscribed", session),
  // Only the complete text of an exchange is marked as one.
  frame("text_delta", { ...response, delta: z.string().min(1) }),
  frame("text_done", { ...response, text: z.string() }),
  frame("thinking_start", response),
  frame("thinking_delta", { ...response, delta: z.string().min(1) }),
  frame("thinking_done", { ...response, text: z.string() }),
  frame("user_message", {
    ...session,
    text: z.string(),
    fromAgentId: z.string().optional(),
    fromSessionId: z.string().optional(),
    agentMessageType: z.enum(["agent_message", "agent_callback"]).optional(),
    ...exchange,
  }),
  frame("tool_call_start", { ...call, arguments: z.string() }),
  frame("tool_output_delta", { ...call, delta: z.string(), details: Record.optional() }),
  frame("tool_result", {
    ...call,
    ok: z.boolean(),
    result: z.unknown().optional(),
    error: Failure.optional(),
    truncated: z.boolean().optional(),
    truncatedBy: z.enum(["lines", "bytes"]).optional(),
    totalLines: count,
    totalBytes: count,
    outputLines: count,
    outputBytes: count,
  }),
  frame("chat_event", { ...session, event: ChatEvent }),
  frame("agent_callback_result", { ...session, responseId: z.string(), result: z.string() }),
  frame("output_cancelled", { sessionId: z.string().optional(), responseId: z.string().optional() }),
  frame("message_queued", {
    messageId: z.string(),
    text: z.string(),
    position: z.int().nonnegative(),
    sessionId: z.string().optional(),
    clientMessageId: z.string().optional(),
    source: z.enum(["user", "agent"]).optional(),
    fromAgentId: z.string().optional(),
    fromSessionId: z.string().optional(),
  }),
  frame("message_dequeued", { messageId: z.string(), sessionId: z.string().optional() }),
  frame("modes_updated", { inputMode: Mode, outputMode: Mode }),
  frame("pong", { nonce: z.string().optional(), timestampMs: z.int().nonnegative().optional() }),
  frame("error", {
    code: z.string(),
    message: z.string(),
    retryable: z.boolean().optional(),
    details: z.unknown().optional(),
  }),
  frame("session_created", { ...session, agentId: z.string().optional(), createdAt: Iso }),
  frame("session_updated", {
    ...session,
    updatedAt: Iso,
    name: z.string().nullable().optional(),
    pinnedAt: z.string().nullable().optional(),
    attributes: Record.nullable().optional(),
  }),
  frame("session_cleared", session),
  frame("session_deleted", session),
]);
export type ServerFrame = z.infer<typeof ServerFrame>;

export const SessionSummary = z.strictObject({
  sessionId: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/),
  agentId: z.string(),
  createdAt: Iso,
  updatedAt: Iso,
  name: z.string().optional(),
  pinnedAt: z.string().optional(),
  model: z.string().optional(),
  lastSnippet: z.string().optional(),
  attributes: Record.optional(),
});
