/**
 * The transcript as data: a head whose size does not grow with the session, and messages in pages of 128. A page is
 * frozen when all its turns have ended and a later user message exists; frozen pages never change and may be absent
 * from memory (undefined) until they are loaded.
 */
import type {
  Capabilities,
  Guard,
  Json,
  LimitName,
  LimitScope,
  MemberSpec,
  OfferedModel,
  Outcome,
  PlanItem,
  QueueItem,
  Settings,
  UiRequestBody,
} from "../protocol/index.ts";
import type { Message, Delivery, TurnMessage } from "./messages.ts";

/** Increased whenever `reduce` gives another result for the same log; snapshots of other versions are discarded. */
export const FOLD_VERSION = 13;
export const PAGE_SIZE = 128;
/** Minimum of streamed tool output that is stored. Up to twice as much may be, so that truncating stays cheap. */
export const OUTPUT_SHOWN_MAX = 64 * 1024;
/** Further pins become notices. */
export const PINNED_MAX = 200;
/** Compactions per member in the head; an undo of an older one is not shown. */
export const COMPACTIONS_SHOWN_MAX = 16;
/** Further status keys or widgets become notices. */
export const UI_KEYS_MAX = 100;

export interface Transcript {
  readonly head: Head;
  /** Pages 0 … frozen.length-1. */
  readonly frozen: readonly (Page | undefined)[];
  /** Pages after the frozen ones, which can still change. Never empty once there is a message. */
  readonly live: readonly Page[];
}

export interface Page {
  readonly index: number;
  readonly messages: readonly Message[];
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
  /** By message: deliveries that have not settled. */
  readonly deliveries: Readonly<Record<string, Readonly<Record<string, Delivery>>>>;
  /** Oldest first. */
  readonly requests: readonly OpenRequest[];
  readonly round?: RoundState;
  readonly council: {
    readonly state: "idle" | "running" | "settled" | "paused";
    readonly why?: string;
    readonly message?: string;
    /** Limits raised by the user, valid until the settings change or, for a message, until the next message. */
    readonly raised?: Readonly<Record<LimitScope, Readonly<Partial<Record<LimitName, number>>>>>;
  };
  /** Cost of the latest message to all and of the whole session; compared with the limits. */
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
  /** Number of positions in use: user messages, turns and notices. */
  readonly messageCount: number;
  readonly userCount: number;
  /** Turns ever started, including copied and replaced ones. */
  readonly turnCount: number;
  /** The latest user message; turns after it can still be replaced. */
  readonly latestUser?: { readonly messageId: string; readonly position: number };
  /** Seq of the last `session_clear`, 0 for none; earlier messages are hidden from members and screens. */
  readonly clearedSeq: number;
}

export interface MemberState {
  readonly name: string;
  readonly spec: MemberSpec;
  readonly capabilities: Capabilities;
  readonly seated: boolean;
  readonly muted: boolean;
  readonly model?: string;
  /** Reasoning effort, if chosen. */
  readonly effort?: string;
  readonly nativeSessionId?: string;
  /** Models it can be switched to; absent until its program has listed them. */
  readonly models?: readonly OfferedModel[];
  /** What keeps it from changing files without approval; absent before its program has started. */
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
  /** The newest seq that this member has been given. */
  readonly seenSeq: number;
  /** Compactions that were not undone, newest last; at most COMPACTIONS_SHOWN_MAX. */
  readonly compactions?: readonly CompactionState[];
  /** Its last compaction was undone. */
  readonly isUndone?: true;
  /** Set while its context is compacted between turns. */
  readonly compacting?: { readonly sinceTs: number; readonly focus?: string };
}

/** A compaction: events before `firstKeptSeq` are in the log, but no longer in the member's context. */
export interface CompactionState {
  /** Id of its event. */
  readonly id: string;
  readonly seq: number;
  readonly firstKeptSeq: number;
  /** Tokens; 0 when unknown. */
  readonly before: number;
  readonly after: number;
  readonly native: boolean;
  /** Number of turns folded away, if known. */
  readonly folded?: number;
  /** Pinned turns and messages that stay although they are older. */
  readonly kept: readonly string[];
}

export interface Totals {
  readonly turns: number;
  /** Without cached input, for every kind of agent. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  /** Sum of the reported costs; null when no turn reported any. */
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

/** Current round of the discussion of the latest message to all. */
export interface RoundState {
  readonly number: number;
  /** Rounds that the discussion may have, including the first; 1 for first answers only. */
  readonly of: number;
  readonly rootMessageId: string;
  /** Members whose turn of this round runs. */
  readonly running: readonly string[];
  readonly settled: readonly string[];
  /** Result of each settled member. */
  readonly results: Readonly<Record<string, RoundResult>>;
  /** Members mentioned by others in this round, latest mention first; they speak before the rest. */
  readonly called: readonly string[];
  /**
   * The discussion had ended in this round and was continued by the user; earlier answers of the round do not end it
   * again.
   */
  readonly isReopened?: true;
}

/** nothing: a complete answer that adds nothing. interrupted: stopped while the member stayed in the session. */
export type RoundResult = "spoke" | "nothing" | "failed" | "interrupted";

export interface Spent {
  /** Turns started, without subagents. */
  readonly turns: number;
  /** Time in which at least one turn ran, up to the last moment when none did. */
  readonly activeMs: number;
  readonly tokens: number;
  readonly usd: number;
  /** Running turns. */
  readonly open: number;
  /** Start of the first running turn; absent when none runs. */
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
