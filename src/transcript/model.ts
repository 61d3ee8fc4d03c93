/**
 * What a person sees, as data: a head whose size does not grow with the session, and messages in pages of 128.
 * A page is frozen when all its turns have ended and a later user message exists; frozen pages never change again
 * and may be absent from memory (undefined) until somebody asks for them.
 * Longer than other files: it is one set of types that refer to each other.
 */
import type {
  ActivityState,
  Attachment,
  BlobRef,
  Capabilities,
  DeliveryState,
  EventOf,
  FileChange,
  Json,
  LimitName,
  LimitScope,
  MemberSpec,
  Guard,
  OfferedModel,
  Outcome,
  PlanItem,
  QueueItem,
  SessionEvent,
  Settings,
  UiRequestBody,
  UnknownEvent,
  Usage,
} from "../protocol/index.ts";

/** Raised whenever `reduce` would give another picture for the same log; snapshots of another version are discarded. */
export const FOLD_VERSION = 10;
export const PAGE_SIZE = 128;
/** How much streamed tool output is sure to be kept; up to twice as much may be, so that cutting stays cheap. */
export const OUTPUT_SHOWN_MAX = 64 * 1024;
/** More pins than this are kept as notices instead. */
export const PINNED_MAX = 200;
/** Compactions of one member that the head knows; an undo of an older one is not drawn. */
export const COMPACTIONS_SHOWN_MAX = 16;
/** More status keys, or more widgets, than this are kept as notices instead. */
export const UI_KEYS_MAX = 100;

export interface Transcript {
  readonly head: Head;
  /** Pages 0 … frozen.length-1. */
  readonly frozen: readonly (Page | undefined)[];
  /** The pages after them, which can still change. Never empty once there is a message. */
  readonly live: readonly Page[];
}

export interface Page {
  readonly index: number;
  readonly messages: readonly Message[];
}

/** A message as a view draws it, with the place of an open turn filled in. */
export type ShownMessage = Exclude<Message, OpenTurnPlaceholder>;

/** An open turn's content lives in `head.openTurns`; its page holds the place until the turn ends. */
export type Message = UserMessage | TurnMessage | OpenTurnPlaceholder | Notice;

export interface OpenTurnPlaceholder {
  readonly kind: "open-turn";
  readonly turnId: string;
}

export interface UserMessage {
  readonly kind: "user";
  /** Its place in the session, from 0; page = floor(position / PAGE_SIZE). */
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
  /** Per member; complete once every delivery has settled (until then see `head.deliveries`). */
  readonly deliveries: Readonly<Record<string, Delivery>>;
}

export interface Delivery {
  readonly state: DeliveryState;
  /** It went into a turn that ran already, and stands in it. */
  readonly steered?: true;
  readonly reason?: string;
}

export interface TurnMessage {
  readonly kind: "turn";
  /** Its place in the session, from 0; page = floor(position / PAGE_SIZE). */
  readonly position: number;
  readonly seq: number;
  readonly ts: number;
  readonly turnId: string;
  readonly member: string;
  readonly cause: EventOf<"turn_start">["cause"];
  /** Where an imported turn was spoken; nobody here can stop or steer it. */
  readonly origin?: string;
  readonly messageIds: readonly string[];
  readonly rootMessageId?: string;
  readonly round?: number;
  readonly parentTurnId?: string;
  readonly toolCallId?: string;
  /** The exchange this turn answers, or whose answer it is told. */
  readonly agentExchangeId?: string;
  readonly depth: number;
  readonly model?: string;
  /** Turns this one replaced, oldest first. */
  readonly replaced: readonly string[];
  /** The good answers among them, newest first: another answer was asked for, and they stay. */
  readonly earlier?: readonly TurnMessage[];
  /** The start of the first turn that this one stands for. */
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
      readonly startTs: number;
      /** Absent while it goes on, and when nobody told that it ended. */
      readonly endTs?: number;
    }
  | ToolBlock
  | { readonly kind: "steering"; readonly messageId: string; readonly ts: number }
  | {
      readonly kind: "request";
      readonly requestId: string;
      readonly member: string;
      /** The call that waits for it, where it is shown. */
      readonly toolCallId?: string;
      readonly request: UiRequestBody;
      readonly state: RequestState;
      /** What was answered; absent while open and when it was cancelled. */
      readonly answer?: RequestAnswer;
    }
  | {
      readonly kind: "exchange";
      readonly agentExchangeId: string;
      readonly to: string;
      readonly text: string;
      readonly wait: boolean;
      /** The asker's call of `agents_message`, which this block stands for. */
      readonly toolCallId?: string;
      /** The turn in which the other member answers, with the tool calls it makes; absent until that has begun. */
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

export interface RequestAnswer {
  readonly result: Json;
  readonly error: string | null;
  /** Why it was denied, in the words the agent got. */
  readonly reason?: string;
  /** Who answered: the client's id, and the name it gave itself. */
  readonly clientId?: string;
  readonly by?: string;
}

/** What came of a request, in words: "allowed for this session", "denied: use pnpm", "answered: Linux, macOS". */
export interface RequestOutcome {
  readonly kind: "open" | "allowed" | "denied" | "answered" | "unanswered";
  readonly text: string;
  /** Who answered, by the name it gave itself. */
  readonly by?: string;
}

export type ToolState = "pending" | "success" | "error" | "interrupted" | "truncated" | "agent-callback";

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
  /** Streamed output: at least its newest OUTPUT_SHOWN_MAX characters. Empty once the result repeats it. */
  readonly output: string;
  /** Characters that came before `output` and are no longer kept. */
  readonly outputDropped: number;
  readonly detail?: string;
  /** Whether it was allowed, as far as that was asked or decided. */
  readonly approval?: RequestOutcome;
  readonly result?: string;
  readonly error?: EventOf<"tool_result">["error"];
  readonly truncated?: EventOf<"tool_result">["truncated"];
  readonly diff?: string;
  readonly startTs: number;
  readonly durationMs?: number;
}

/** Something that happened outside any turn, or of a type this version does not know; drawn by its event. */
export interface Notice {
  readonly kind: "notice";
  /** Its place in the session, from 0; page = floor(position / PAGE_SIZE). */
  readonly position: number;
  readonly seq: number;
  readonly ts: number;
  readonly event: SessionEvent | UnknownEvent;
}

export interface Head {
  readonly sessionId: string;
  readonly seq: number;
  readonly epoch: number;
  readonly title: string;
  readonly cwd: string;
  readonly createdTs: number;
  readonly updatedTs: number;
  readonly archived: boolean;
  readonly settings?: Settings;
  readonly members: Readonly<Record<string, MemberState>>;
  readonly queue: readonly QueueItem[];
  readonly openTurns: Readonly<Record<string, TurnMessage>>;
  /** Messages some member has not settled yet. */
  readonly deliveries: Readonly<Record<string, Readonly<Record<string, Delivery>>>>;
  /** Oldest first. */
  readonly requests: readonly OpenRequest[];
  readonly round?: RoundState;
  readonly council: {
    readonly state: "idle" | "running" | "settled" | "paused";
    readonly why?: string;
    readonly message?: string;
    /** Limits that the user has raised, in force until the settings or, for a message, the message change. */
    readonly raised?: Readonly<Record<LimitScope, Readonly<Partial<Record<LimitName, number>>>>>;
  };
  /** What the latest message to all and the session as a whole have cost; the limits go by it. */
  readonly spent: Readonly<Record<LimitScope, Spent>>;
  readonly plan?: {
    readonly planId: string;
    readonly member?: string;
    readonly items: readonly PlanItem[];
    readonly explanation?: string;
    readonly needsDecision: boolean;
  };
  readonly pinned: readonly string[];
  readonly ui: UiState;
  readonly totals: Totals;
  /** Positions given out: user messages, turns and notices. */
  readonly messageCount: number;
  readonly userCount: number;
  /** Turns ever started, copied and replaced ones included. */
  readonly turnCount: number;
  /** Where the latest user message is; turns from here on can still be replaced. */
  readonly latestUser?: { readonly messageId: string; readonly position: number };
  /** The seq of the last `session_clear`, 0 when there was none; what lies before it is not shown to members or screens. */
  readonly clearedSeq: number;
}

export interface MemberState {
  readonly name: string;
  readonly spec: MemberSpec;
  readonly capabilities: Capabilities;
  readonly seated: boolean;
  readonly muted: boolean;
  readonly model?: string;
  /** How hard its model is to think, where that was chosen. */
  readonly effort?: string;
  readonly nativeSessionId?: string;
  /** What it can be switched to, as its program told; absent as long as it has told nothing. */
  readonly models?: readonly OfferedModel[];
  /** What keeps it from changing files unasked; absent before its program has started. */
  readonly guard?: { readonly kind: Guard; readonly detail?: string };
  /** waiting: a message is pending for it. */
  readonly state: "idle" | "waiting" | "running";
  readonly turnId?: string;
  readonly lastOutcome?: Outcome;
  readonly totals: Totals;
  readonly context?: {
    readonly used: number;
    readonly window: number;
    readonly compactAt?: number;
    readonly measured: boolean;
  };
  /** The newest seq this member has been given. */
  readonly seenSeq: number;
  /** What made its context shorter and was not undone, the newest last; at most COMPACTIONS_SHOWN_MAX. */
  readonly compactions?: readonly CompactionState[];
  /** The last thing that happened to it was that a compaction was undone. */
  readonly isUndone?: true;
  /** Its context is being made shorter between turns. */
  readonly compacting?: { readonly sinceTs: number; readonly focus?: string };
}

/** One compaction: what lies before `firstKeptSeq` is in the log and no longer in the member's context. */
export interface CompactionState {
  /** The id of its event. */
  readonly id: string;
  readonly seq: number;
  readonly firstKeptSeq: number;
  /** Tokens; 0 where nobody told. */
  readonly before: number;
  readonly after: number;
  readonly native: boolean;
  /** How many turns were folded away, where that is known. */
  readonly folded?: number;
  /** Pinned turns and messages that stay although they are older. */
  readonly kept: readonly string[];
}

export interface Totals {
  readonly turns: number;
  /** Without what a cache has answered, whoever has counted. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  /** As far as it was told; null when no turn has told it. */
  readonly costUsd: number | null;
}

export interface OpenRequest {
  readonly requestId: string;
  readonly member: string;
  readonly turnId?: string;
  readonly toolCallId?: string;
  readonly seq: number;
  readonly ts: number;
  readonly request: UiRequestBody;
  readonly timeoutMs: number;
  readonly default: Json;
}

/** The round that the discussion of the latest message to all has come to. */
export interface RoundState {
  readonly number: number;
  /** How many rounds the discussion may have, the opening one counted; 1 when there is nothing but the first answers. */
  readonly of: number;
  readonly rootMessageId: string;
  /** Members whose turn of this round is open. */
  readonly running: readonly string[];
  readonly settled: readonly string[];
  /** How each settled member's turn came out. */
  readonly results: Readonly<Record<string, RoundResult>>;
  /** Members whom others have named in this round, the newest mention first: they go ahead of those nobody named. */
  readonly called: readonly string[];
  /** The discussion had ended in this round and the user let it go on: what was said in it does not end it again. */
  readonly isReopened?: true;
}

/** nothing: a whole answer that adds nothing. interrupted: stopped while the member kept its seat. */
export type RoundResult = "spoke" | "nothing" | "failed" | "interrupted";

export interface Spent {
  /** Turns started, those of subagents not counted. */
  readonly turns: number;
  /** Time in which at least one turn ran, up to the last time when none did. */
  readonly activeMs: number;
  readonly tokens: number;
  readonly usd: number;
  /** Turns that run now. */
  readonly open: number;
  /** When the first of them began; absent when none runs. */
  readonly openSinceTs?: number;
}

export interface UiState {
  readonly status: Readonly<Record<string, string>>;
  readonly widgets: Readonly<
    Record<string, { readonly content: string | readonly string[]; readonly opts: Readonly<Record<string, Json>> }>
  >;
  readonly working?: string;
  readonly title?: string;
  readonly editorText?: { readonly seq: number; readonly text: string };
}
