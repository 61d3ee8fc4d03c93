/**
 * The events of assistant's chat log, as its chat panel renders them: live in `chat_event` frames and again on reload.
 */
import type { Json } from "../../../src/protocol/index.ts";

export interface ToolFailure {
  readonly code: string;
  readonly message: string;
}

/** Only the types used here, without audio. */
export interface ChatPayloads {
  turn_start: { readonly trigger: "user" | "callback" | "system" };
  turn_end: Readonly<Record<string, never>>;
  user_message: { readonly text: string; readonly fromAgentId?: string; readonly fromSessionId?: string };
  assistant_chunk: { readonly text: string };
  assistant_done: { readonly text: string };
  thinking_chunk: { readonly text: string };
  thinking_done: { readonly text: string };
  custom_message: { readonly text: string; readonly label?: string };
  summary_message: { readonly text: string; readonly summaryType?: string };
  tool_call: { readonly toolCallId: string; readonly toolName: string; readonly args: Readonly<Record<string, Json>> };
  tool_output_chunk: {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly chunk: string;
    /** Characters so far, this chunk included. */
    readonly offset: number;
    readonly stream?: "stdout" | "stderr" | "output";
  };
  tool_result: { readonly toolCallId: string; readonly result: Json; readonly error?: ToolFailure };
  agent_message: {
    readonly messageId: string;
    readonly targetAgentId: string;
    readonly targetSessionId: string;
    readonly message: string;
    readonly wait: boolean;
  };
  agent_callback: {
    readonly messageId: string;
    readonly fromAgentId: string;
    readonly fromSessionId: string;
    readonly result: string;
  };
  agent_switch: { readonly fromAgentId: string; readonly toAgentId: string };
  /** Sent only to later clients of this version, which know them. */
  interaction_request: InteractionRequest;
  interaction_response: InteractionResponse;
  interrupt: { readonly reason: "user_cancel" | "timeout" | "error" };
  error: { readonly code: string; readonly message: string };
}

export type InteractionScope = "once" | "session" | "always";

export interface InteractionField {
  readonly id: string;
  readonly type: "text" | "textarea" | "select" | "multiselect" | "radio";
  readonly label: string;
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly options?: readonly { readonly label: string; readonly value: string }[];
}

export interface InteractionForm {
  readonly fields: readonly InteractionField[];
  readonly initialValues?: Readonly<Record<string, Json>>;
}

interface OfInteraction {
  readonly toolCallId: string;
  readonly interactionId: string;
}

export interface InteractionRequest extends OfInteraction {
  readonly toolName: string;
  readonly interactionType: "approval" | "input";
  /** Not inside a block of a tool. */
  readonly presentation: "questionnaire";
  readonly prompt: string;
  readonly approvalScopes?: readonly InteractionScope[];
  readonly inputSchema?: InteractionForm;
}

export interface InteractionResponse extends OfInteraction {
  readonly action: "approve" | "deny" | "submit" | "cancel";
  readonly approvalScope?: InteractionScope;
  readonly reason?: string;
}

export type ChatEventType = keyof ChatPayloads;

interface ChatEventOf<Type extends ChatEventType> {
  readonly id: string;
  /** Milliseconds. */
  readonly timestamp: number;
  readonly sessionId: string;
  readonly turnId?: string;
  readonly responseId?: string;
  readonly type: Type;
  readonly payload: ChatPayloads[Type];
}

export type ChatEvent = { [Type in ChatEventType]: ChatEventOf<Type> }[ChatEventType];
