/** A line of a session's log in sprout's format, and the messages that its readers rebuild a conversation from. */
import type { Json } from "../../../src/protocol/index.ts";

export interface LogLine {
  readonly kind: string;
  /** Milliseconds. */
  readonly timestamp: number;
  readonly agent_id: string;
  readonly depth: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export type MessagePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tool_call"; readonly tool_call: ToolCall }
  | { readonly kind: "tool_result"; readonly tool_result: ToolResult };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, Json>>;
}

export interface ToolResult {
  readonly tool_call_id: string;
  readonly content: string;
  readonly is_error: boolean;
}

export interface LogMessage {
  readonly role: "assistant" | "tool";
  readonly content: readonly MessagePart[];
  readonly tool_call_id?: string;
}

export function toolMessage(result: ToolResult): LogMessage {
  return {
    role: "tool",
    content: [{ kind: "tool_result", tool_result: result }],
    tool_call_id: result.tool_call_id,
  };
}

export function lineText(line: LogLine): string {
  return `${JSON.stringify(line)}\n`;
}
