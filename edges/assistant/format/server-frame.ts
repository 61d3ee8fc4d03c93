/** Messages of assistant's server over its WebSocket, protocol version 2, as far as used here. */
import type { Json } from "../../../src/protocol/index.ts";
import type { ChatEvent, ToolFailure } from "./chat-event.ts";

export const ASSISTANT_PROTOCOL = 2;

export type IoMode = "text" | "speech" | "both";

interface OfResponse {
  readonly responseId: string;
  readonly sessionId: string;
  readonly agentExchangeId?: string;
}

interface OfCall {
  readonly callId: string;
  readonly toolName: string;
  readonly sessionId: string;
  readonly agentExchangeId?: string;
}

export type ServerFrame =
  | {
      readonly type: "session_ready";
      readonly protocolVersion: typeof ASSISTANT_PROTOCOL;
      readonly sessionId: string;
      readonly inputMode: IoMode;
      readonly outputMode: IoMode;
      readonly availableModels?: readonly string[];
      readonly currentModel?: string;
    }
  | { readonly type: "subscribed" | "unsubscribed"; readonly sessionId: string }
  | ({ readonly type: "text_delta"; readonly delta: string } & OfResponse)
  | ({ readonly type: "text_done"; readonly text: string } & OfResponse)
  | ({ readonly type: "thinking_start" } & OfResponse)
  | ({ readonly type: "thinking_delta"; readonly delta: string } & OfResponse)
  | ({ readonly type: "thinking_done"; readonly text: string } & OfResponse)
  | {
      readonly type: "user_message";
      readonly sessionId: string;
      readonly text: string;
      readonly fromAgentId?: string;
      readonly fromSessionId?: string;
      readonly agentMessageType?: "agent_message" | "agent_callback";
      readonly agentExchangeId?: string;
    }
  /** `arguments` is JSON. */
  | ({ readonly type: "tool_call_start"; readonly arguments: string } & OfCall)
  | ({ readonly type: "tool_output_delta"; readonly delta: string } & OfCall)
  | ({
      readonly type: "tool_result";
      readonly ok: boolean;
      readonly result?: Json;
      readonly error?: ToolFailure;
      readonly truncated?: boolean;
      readonly truncatedBy?: "bytes";
      readonly totalBytes?: number;
      readonly outputBytes?: number;
    } & OfCall)
  | { readonly type: "chat_event"; readonly sessionId: string; readonly event: ChatEvent }
  | {
      readonly type: "agent_callback_result";
      readonly sessionId: string;
      readonly responseId: string;
      readonly result: string;
    }
  | { readonly type: "output_cancelled"; readonly sessionId: string; readonly responseId: string }
  | {
      readonly type: "message_queued";
      readonly messageId: string;
      readonly text: string;
      /** From 1. */
      readonly position: number;
      readonly sessionId: string;
      readonly clientMessageId?: string;
      readonly source: "user";
    }
  | { readonly type: "message_dequeued"; readonly messageId: string; readonly sessionId: string }
  | { readonly type: "modes_updated"; readonly inputMode: IoMode; readonly outputMode: IoMode }
  | { readonly type: "pong"; readonly nonce?: string; readonly timestampMs: number }
  | ErrorFrame
  | {
      readonly type: "session_created";
      readonly sessionId: string;
      readonly agentId: string;
      readonly createdAt: string;
    }
  | {
      readonly type: "session_updated";
      readonly sessionId: string;
      readonly updatedAt: string;
      readonly name?: string | null;
      readonly pinnedAt?: string | null;
      readonly attributes?: Readonly<Record<string, Json>> | null;
    }
  | { readonly type: "session_cleared" | "session_deleted"; readonly sessionId: string };

export interface ErrorFrame {
  readonly type: "error";
  readonly code: string;
  readonly message: string;
  readonly retryable?: boolean;
  readonly details?: Json;
}
