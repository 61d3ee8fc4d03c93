/**
 * Structs of the wire: messages, content blocks and tool results, each with all fields, as Elixir structs are encoded
 * to JSON. Clients ignore `__struct__`.
 */
import type { Json, Outcome, Usage } from "../../../src/protocol/index.ts";
import { beginningOf, shortFields, type Fields } from "./line-limits.ts";

export interface TextContent {
  readonly __struct__: "Elixir.Ai.Types.TextContent";
  readonly type: "text";
  readonly text: string;
  readonly text_signature: null;
}

export interface ThinkingContent {
  readonly __struct__: "Elixir.Ai.Types.ThinkingContent";
  readonly type: "thinking";
  readonly thinking: string;
  readonly thinking_signature: null;
}

export interface ToolCall {
  readonly __struct__: "Elixir.Ai.Types.ToolCall";
  readonly type: "tool_call";
  readonly id: string;
  readonly name: string;
  readonly arguments: Fields;
  readonly thought_signature: null;
}

export type Content = TextContent | ThinkingContent | ToolCall;

export interface UserMessage {
  readonly __struct__: "Elixir.Ai.Types.UserMessage";
  readonly role: "user";
  readonly content: string;
  readonly timestamp: number;
}

type StopReason = "stop" | "length" | "tool_use" | "error" | "aborted";

export interface AssistantMessage {
  readonly __struct__: "Elixir.Ai.Types.AssistantMessage";
  readonly role: "assistant";
  readonly content: readonly Content[];
  readonly api: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: UsageStruct;
  /** Null while the message is open. */
  readonly stop_reason: StopReason | null;
  readonly error_message: string | null;
  readonly timestamp: number;
}

export interface ToolResultMessage {
  readonly __struct__: "Elixir.Ai.Types.ToolResultMessage";
  readonly role: "tool_result";
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly content: readonly TextContent[];
  readonly details: Fields;
  readonly is_error: boolean;
  readonly timestamp: number;
}

export type Message = UserMessage | AssistantMessage | ToolResultMessage;

export interface ToolResult {
  readonly __struct__: "Elixir.AgentCore.Types.AgentToolResult";
  readonly content: readonly TextContent[];
  readonly details: Fields;
}

export interface UsageStruct {
  readonly __struct__: "Elixir.Ai.Types.Usage";
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly total_tokens: number;
  readonly cost: Readonly<Record<"input" | "output" | "cache_read" | "cache_write" | "total", number>>;
}

export function textContent(text: string): TextContent {
  return { __struct__: "Elixir.Ai.Types.TextContent", type: "text", text, text_signature: null };
}

export function thinkingContent(thinking: string): ThinkingContent {
  return { __struct__: "Elixir.Ai.Types.ThinkingContent", type: "thinking", thinking, thinking_signature: null };
}

export function toolCall(id: string, name: string, args: Json): ToolCall {
  return {
    __struct__: "Elixir.Ai.Types.ToolCall",
    type: "tool_call",
    id,
    name,
    arguments: asFields(args),
    thought_signature: null,
  };
}

export function userMessage(content: string, timestamp: number): UserMessage {
  return { __struct__: "Elixir.Ai.Types.UserMessage", role: "user", content: beginningOf(content), timestamp };
}

/** An open message: without end and usage. */
export function assistantMessage(
  { provider, model }: { readonly provider: string; readonly model: string },
  content: readonly Content[],
  timestamp: number,
): AssistantMessage {
  return {
    __struct__: "Elixir.Ai.Types.AssistantMessage",
    role: "assistant",
    content,
    api: "roundtable",
    provider,
    model,
    usage: usageStruct(undefined),
    stop_reason: null,
    error_message: null,
    timestamp,
  };
}

export function resultMessage(
  tool: { readonly id: string; readonly name: string },
  { content, details }: ToolResult,
  { isError, timestamp }: { isError: boolean; timestamp: number },
): ToolResultMessage {
  return {
    __struct__: "Elixir.Ai.Types.ToolResultMessage",
    role: "tool_result",
    tool_call_id: tool.id,
    tool_name: tool.name,
    content,
    details,
    is_error: isError,
    timestamp,
  };
}

export function toolResult(text: string, details: Fields): ToolResult {
  const content = [textContent(beginningOf(text))];
  return { __struct__: "Elixir.AgentCore.Types.AgentToolResult", content, details: shortFields(details) };
}

/** Only the total cost is known; token counts add up to their total. */
export function usageStruct(usage: Usage | undefined): UsageStruct {
  const { inputTokens: input = 0, outputTokens = 0, cacheReadTokens = 0 } = usage ?? {};
  const { cacheWriteTokens = 0, costUsd = 0 } = usage ?? {};
  return {
    __struct__: "Elixir.Ai.Types.Usage",
    input,
    output: outputTokens,
    cache_read: cacheReadTokens,
    cache_write: cacheWriteTokens,
    total_tokens: input + outputTokens + cacheReadTokens + cacheWriteTokens,
    cost: { input: 0, output: 0, cache_read: 0, cache_write: 0, total: costUsd },
  };
}

export function stopReasonOf(outcome: Outcome, isCut: boolean): StopReason {
  if (outcome === "completed") return isCut ? "length" : "stop";
  return outcome === "interrupted" ? "aborted" : "error";
}

/** Arguments are a map on this wire; other values are put under `value`. */
export function asFields(args: Json): Fields {
  const isMap = typeof args === "object" && args !== null && !Array.isArray(args);
  return shortFields(isMap ? args : { value: args });
}

/** A call is not streamed: its id identifies it. */
export function contentText(content: Content): string {
  if (content.type === "text") return content.text;
  return content.type === "thinking" ? content.thinking : content.id;
}
