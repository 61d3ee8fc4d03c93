/** The messages of a transcript: what users wrote, turns with their blocks, and notices. */
import type {
  ActivityState,
  Attachment,
  BlobRef,
  DeliveryState,
  EventOf,
  FileChange,
  Json,
  Outcome,
  PlanItem,
  SessionEvent,
  UiRequestBody,
  UnknownEvent,
  Usage,
} from "../protocol/index.ts";

/** A message as a view draws it, with the content of open turns filled in. */
export type ShownMessage = Exclude<Message, OpenTurnPlaceholder>;

/** An open turn's content is in `head.openTurns`; its page holds a placeholder until the turn ends. */
export type Message = UserMessage | TurnMessage | OpenTurnPlaceholder | Notice;

export interface OpenTurnPlaceholder {
  readonly kind: "open-turn";
  readonly turnId: string;
}

export interface UserMessage {
  readonly kind: "user";
  /** Index in the session, from 0; page = floor(position / PAGE_SIZE). */
  readonly position: number;
  readonly seq: number;
  readonly ts: number;
  readonly messageId: string;
  readonly text: string;
  readonly textBlob?: BlobRef;
  readonly to: readonly string[];
  readonly toAll: boolean;
  readonly attachments: readonly Attachment[];
  readonly clientId?: string;
  readonly clientMessageId?: string;
  readonly origin?: string;
  /** By member; complete once every delivery has settled, until then see `head.deliveries`. */
  readonly deliveries: Readonly<Record<string, Delivery>>;
}

export interface Delivery {
  readonly state: DeliveryState;
  /** Delivered into a running turn, and shown in it. */
  readonly steered?: true;
  readonly reason?: string;
}

export interface TurnMessage {
  readonly kind: "turn";
  /** Index in the session, from 0; page = floor(position / PAGE_SIZE). */
  readonly position: number;
  readonly seq: number;
  readonly ts: number;
  readonly turnId: string;
  readonly member: string;
  readonly cause: EventOf<"turn_start">["cause"];
  /** Source of an imported turn, which cannot be stopped or steered here. */
  readonly origin?: string;
  readonly messageIds: readonly string[];
  readonly rootMessageId?: string;
  readonly round?: number;
  readonly parentTurnId?: string;
  readonly toolCallId?: string;
  /** The exchange that this turn answers, or whose answer it gets. */
  readonly agentExchangeId?: string;
  readonly depth: number;
  readonly model?: string;
  /** Chosen when it began. */
  readonly effort?: string;
  /** Turns this one replaced, oldest first. */
  readonly replaced: readonly string[];
  /** The good answers among them, newest first; they stay visible. */
  readonly earlier?: readonly TurnMessage[];
  /** Start of the first turn that this one replaces. */
  readonly firstSeq?: number;
  readonly blocks: readonly Block[];
  readonly isThinking: boolean;
  readonly status?: { readonly state: ActivityState; readonly detail?: string };
  readonly retrying?: {
    readonly attempt: number;
    readonly of: number;
    readonly delayMs: number;
    readonly reason: string;
  };
  readonly usage?: Usage;
  /** Absent while the turn is open. */
  readonly end?: TurnEnd;
}

export interface TurnEnd {
  readonly seq: number;
  readonly ts: number;
  readonly outcome: Outcome;
  readonly reason?: string;
  readonly error?: EventOf<"turn_end">["error"];
  readonly durationMs: number;
  /** How far the turn had been read aloud when it was interrupted. */
  readonly audioTruncatedAtMs?: number;
}

export type Block =
  | {
      readonly kind: "text";
      readonly segmentId: string;
      readonly text: string;
      readonly done: boolean;
      readonly interrupted: boolean;
    }
  | {
      readonly kind: "thinking";
      readonly segmentId: string;
      readonly text: string;
      readonly done: boolean;
      /** Absent when its start was not reported. */
      readonly startTs?: number;
      /** Absent while it runs, and when its end was not reported. */
      readonly endTs?: number;
    }
  | ToolBlock
  | { readonly kind: "steering"; readonly messageId: string; readonly ts: number }
  | {
      readonly kind: "request";
      readonly requestId: string;
      readonly member: string;
      /** The tool call that waits for it, if it is shown. */
      readonly toolCallId?: string;
      readonly request: UiRequestBody;
      readonly state: RequestState;
      /** Absent while open, and when it was cancelled. */
      readonly answer?: RequestAnswer;
    }
  | {
      readonly kind: "exchange";
      readonly agentExchangeId: string;
      readonly to: string;
      readonly text: string;
      readonly wait: boolean;
      /** The asker's `agents_message` call, which this block replaces. */
      readonly toolCallId?: string;
      /** The turn of the other member that answers; absent until it has started. */
      readonly answerTurnId?: string;
      readonly answer?: { readonly ok: boolean; readonly text: string };
    }
  | {
      readonly kind: "subagent";
      readonly subagentTurnId: string;
      readonly name: string;
      readonly task: string;
      readonly outcome?: Outcome;
      readonly text?: string;
    }
  | {
      readonly kind: "plan";
      readonly planId: string;
      readonly items: readonly PlanItem[];
      readonly explanation?: string;
      readonly decision?: EventOf<"plan_decision">["decision"];
    }
  | { readonly kind: "changes"; readonly files: readonly FileChange[]; readonly truncatedCount: number }
  | { readonly kind: "finished"; readonly summary: string }
  | { readonly kind: "event"; readonly event: SessionEvent | UnknownEvent };

export type RequestState = "open" | "answered" | "answered_elsewhere" | "expired" | "cancelled" | "restart";

/** The client that answered, and the name it gave itself. */
export interface Answerer {
  readonly clientId?: string;
  readonly by?: string;
}

export interface RequestAnswer extends Answerer {
  readonly result: Json;
  readonly error: string | null;
  /** Reason of a denial, as passed to the agent. */
  readonly reason?: string;
}

/** Outcome of a request as text: "allowed for this session", "denied: use pnpm", "answered: Linux, macOS". */
export interface RequestOutcome extends Answerer {
  readonly kind: "open" | "allowed" | "denied" | "answered" | "unanswered";
  readonly text: string;
}

/** "finished": its agent reports neither success nor failure. */
export type ToolState = "pending" | "success" | "finished" | "error" | "interrupted" | "truncated" | "agent-callback";

export interface ToolBlock {
  readonly kind: "tool";
  readonly toolCallId: string;
  readonly nativeId?: string;
  readonly name: string;
  readonly args: Json;
  readonly title?: string;
  readonly toolKind?: EventOf<"tool_call_start">["kind"];
  readonly agentExchangeId?: string;
  readonly state: ToolState;
  /** Streamed output: at least its newest OUTPUT_SHOWN_MAX characters. Empty when the result repeats it. */
  readonly output: string;
  /** Number of characters dropped before `output`. */
  readonly outputDropped: number;
  readonly detail?: string;
  /** Whether it was allowed, if that was asked or decided. */
  readonly approval?: RequestOutcome;
  readonly result?: string;
  readonly error?: EventOf<"tool_result">["error"];
  readonly truncated?: EventOf<"tool_result">["truncated"];
  readonly diff?: string;
  /** Of a call that was asked about: when it was allowed. */
  readonly startTs: number;
  readonly durationMs?: number;
  /** Of its result. */
  readonly endSeq?: number;
}

/** An event outside any turn, or of an unknown type; drawn by its event. */
export interface Notice {
  readonly kind: "notice";
  /** Index in the session, from 0; page = floor(position / PAGE_SIZE). */
  readonly position: number;
  readonly seq: number;
  readonly ts: number;
  readonly event: SessionEvent | UnknownEvent;
}
