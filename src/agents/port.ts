/**
 * The agents' port: how a session drives one seated member, whatever program or model is behind it.
 *
 * Contract for every agent kind:
 * - An agent never throws and never rejects. What goes wrong comes up as `turn_done` with outcome "errored".
 * - After `send` of a turn exactly one `turn_done` for it comes up, also after `interrupt`, a crash or `close`.
 * - Nothing comes up after `close` has resolved.
 * - `interrupt` may be called at any time, more than once, also when nothing runs.
 * - Events are plain payloads: the session gives them turn, member, segment and tool-call ids and a place in the log.
 */
import type {
  Attachment,
  Capabilities,
  ContextEntry,
  DraftOf,
  EventType,
  Json,
  MemberSpec,
  Outcome,
  UiRequestBody,
  Usage,
} from "../protocol/index.ts";
import type { Credentials } from "../kit/url-credentials.ts";
import type { Judge } from "./approvals/approval-source.ts";
import type { McpServers } from "./model/mcp/server-config.ts";
import type { ConversationHistory, Pinned, TurnPosition } from "./history.ts";
import type { ProgramEnvironment } from "./process/launch/environment.ts";
import type { ProcessRecords } from "./process/tracking/process-records.ts";
import type { SandboxSettings } from "./sandbox/sandbox.ts";

export interface Agent {
  readonly capabilities: Capabilities;
  /** Called once, before anything else. Resolves when the agent can take a turn or knows why it cannot. */
  start(up: (event: AgentEvent) => void): Promise<void>;
  /** A new turn when none runs; a steer while one runs (only where `capabilities.steer`). */
  send(input: TurnInput | SteerInput): void;
  interrupt(): void;
  /**
   * Makes the agent's own conversation shorter, between turns; only where `capabilities.compact` says that it can. Exactly
   * one `compacted` or `compact_failed` comes up for it, also after `interrupt`; until then no turn is sent. `history` is
   * given like a turn's, and only where the table compacts.
   */
  compact?(focus?: string, history?: ConversationHistory): void;
  /** The answer to a `request` or `host_call` that came up. An unknown callId is ignored. */
  answer(callId: string, result: AnswerResult): void;
  /** Ends whatever runs and gives everything back. Safe to call twice. */
  close(): Promise<void>;
}

export interface TurnInput {
  kind: "turn";
  turnId: string;
  /** What the member is asked, whole. */
  text: string;
  attachments: readonly Attachment[];
  /** The same, with what was read of them; absent where nobody has looked. */
  attached?: readonly Attached[];
  /** Who asks, where it is not the user: another member, whose words are no instruction, or the table itself. */
  from?: { kind: "member"; name: string } | { kind: "table" };
  model?: string;
  /** Which round of a discussion this turn belongs to; absent for a message to single members. */
  round?: number;
  /** How many rounds that discussion may have, the opening one counted. */
  rounds?: number;
  /** The member's own name at the table. */
  self?: string;
  /** What the member is told of its place at the table; absent where its agent still knows it from an earlier turn. */
  systemPrompt?: string;
  /** What was said at the table since this member last heard of it, oldest first, its own words left out. */
  missed?: readonly MissedMessage[];
  /** How many older entries of `missed` were left out because there was too much of it. */
  missedCut?: number;
  /** What those were. */
  leftOut?: LeftOut;
  /** Where the turn stands in the log. */
  position?: TurnPosition;
  /** The whole context, where the agent has none or another than the log has. What it remembers itself is void then. */
  history?: ConversationHistory;
  /** What to tell instead when its program has forgotten the session that remembers all this. Absent where nothing remembers. */
  coldStart?: () => ColdStart;
}

/** The whole conversation as far as it fits, for an agent that knows nothing of it. */
export type ColdStart = Pick<TurnInput, "systemPrompt" | "missed" | "missedCut" | "leftOut">;

/** Something attached to a message, as far as it is handed over. */
export interface Attached {
  name: string;
  mime: string;
  /** Of the whole. */
  bytes: number;
  /** The whole; absent when it is too large to hand over, of a kind that nobody takes, or not there any more. */
  data?: Uint8Array;
}

/** A plain summary of what a member is not told in full. */
export interface LeftOut {
  /** How many entries were left out. */
  entries: number;
  /** Older messages that are no longer at hand, so that nobody counted what of them this member has missed. */
  older: number;
  /** Who said how many of the entries; null for the user. */
  bySpeaker: readonly { name: string | null; entries: number }[];
  /** First lines: of the oldest entry, then of the newest that were left out. */
  firstLines: readonly MissedMessage[];
}

/** Who said it is a fact of the log, never read from text. */
export interface MissedMessage {
  speaker: { kind: "user" } | { kind: "member"; name: string };
  text: string;
}

/** A message for the running turn. Taken: `steered` comes up. Not taken before the turn ended: nothing does, and the session delivers it anew. */
export interface SteerInput {
  kind: "steer";
  messageId: string;
  text: string;
}

export interface AnswerResult {
  result: Json;
  /** Set when there is no answer: the request expired, was cancelled, or failed. */
  error: string | null;
  /** Why the user denied it; the agent is told, in its own protocol or with the next words it gets. */
  reason?: string;
}

/** Payloads of protocol events that pass through the session unchanged but for their envelope. */
type Passing<Type extends EventType> = Omit<DraftOf<Type>, "turnId" | "member">;

/** Tools are named by the agent's own id here; the session gives each its `toolCallId`. */
type ToolEvent<Type extends EventType> = Omit<DraftOf<Type>, "turnId" | "member" | "toolCallId" | "nativeId"> & {
  nativeId: string;
};

export type AgentEvent =
  | { type: "text_delta"; text: string }
  /** Ends a text; `text`, when given, is what it really says: all since the text before, whatever came in between. */
  | { type: "text_done"; text?: string }
  | { type: "text_retracted"; reason?: string }
  | { type: "thinking_delta"; text: string }
  | { type: "thinking_done"; text?: string }
  | ToolEvent<"tool_call_start">
  | ToolEvent<"tool_call_update">
  | ToolEvent<"tool_output_delta">
  | ToolEvent<"tool_result">
  | Passing<"status">
  | Passing<"retrying">
  | Passing<"usage">
  | Passing<"context_update">
  /** For members whose context is made from the log: each step, in its place among what is said and called. */
  | { type: "context_entry"; entry: ContextEntry }
  | Passing<"member_session">
  /** The models that the member can be switched to, as far as its program tells; told anew when they have changed. */
  | Passing<"member_models">
  /** With every start of its program, before the first turn is given to it. */
  | Passing<"member_guard">
  | Passing<"model_fallback">
  | Passing<"plan_update">
  | Passing<"change_report">
  | Passing<"finalize_task">
  | Omit<Passing<"warning">, "requestId">
  | Passing<"ui_notify">
  | Passing<"ui_status">
  | Passing<"ui_widget">
  | Passing<"ui_working">
  | Passing<"ui_set_title">
  | Passing<"ui_set_editor_text">
  /** Asks the user; the session answers by `answer(callId)`, with the safe default when the time is up. */
  | {
      type: "request";
      callId: string;
      request: UiRequestBody;
      timeoutMs?: number;
      nativeToolId?: string;
      /** Roundtable's own question whether the member may work though nothing guards it; never asked by a program. */
      consent?: "unguarded";
    }
  /** The agent no longer wants the answer to a `request` that came up. */
  | { type: "request_withdrawn"; callId: string }
  /** A call of one of our own tools. */
  | { type: "host_call"; callId: string; tool: string; args: Json }
  | { type: "steered"; messageId: string }
  | SubagentEvent
  | CompactedEvent
  /** What `compact` asked for did not happen. Never for what an agent does by itself. */
  | { type: "compact_failed"; message: string }
  | {
      type: "turn_done";
      turnId: string;
      outcome: "completed" | "interrupted" | "errored";
      reason?: string;
      error?: TurnError;
      usage?: Usage;
    };

/**
 * The agent's conversation has become shorter: because `compact` asked for it, or by the agent itself, in a turn or
 * between turns. `native` where its own program did it and nobody can look inside; then everything else is optional.
 * Figures are tokens, as far as they are told.
 */
export type CompactedEvent = { type: "compacted"; native?: true } & Partial<
  Omit<DraftOf<"compaction">, "type" | "turnId" | "member" | "native">
>;

/**
 * A part of the turn that the agent gives to a conversation of its own. What comes up in it is told inside
 * `subagent_event`; a subagent of a subagent comes up in the events of the one that sent it.
 */
export type SubagentEvent =
  /** `nativeToolId` names the call that sent it. */
  | { type: "subagent_start"; subagentId: string; name: string; task: string; nativeToolId?: string; model?: string }
  | { type: "subagent_event"; subagentId: string; event: AgentEvent }
  /** Exactly once for each that was started, before the turn is done. */
  | {
      type: "subagent_done";
      subagentId: string;
      outcome: Outcome;
      reason?: string;
      error?: TurnError;
      usage?: Usage;
      text?: string;
    };

export type TurnError = NonNullable<DraftOf<"turn_end">["error"]>;

/** Makes the agent for a member. Must not throw: an agent that cannot be made is one whose turns end errored. */
export type AgentFactory = (spec: MemberSpec, setup: AgentSetup) => Agent;

/** What an agent is told of where it sits. */
export interface AgentSetup {
  sessionId: string;
  /** The directory the session is about, absolute. */
  cwd: string;
  writable: boolean;
  /** The session of the agent's own program that this member had before; to be resumed where the program can. */
  nativeSessionId?: string;
  /** Where an agent writes down which programs it has started. Absent at a table that keeps none. */
  records?: ProcessRecords;
  /** What the user has pinned, oldest first. Never rejects. */
  pinned?: () => Promise<readonly Pinned[]>;
  /** What rules and remembered approvals say of a call, for members whose tools are run here. Absent: nobody decides but the user. */
  judge?: Judge;
  /** The environment that its program gets; kept in memory only. Absent: our own. */
  environment?: ProgramEnvironment;
  /** The wall around its programs; absent: none. */
  sandbox?: SandboxSettings;
  /** Existing paths that deny rules name, as of now; they are closed in the sandbox too. */
  deniedPaths?: () => readonly string[];
  /** Whether the user agreed that this member works without a guard in a session that is read-only. */
  hasAgreed?: () => boolean;
  /** Of the address of its model, from the configuration; kept in memory only. */
  credentials?: Credentials;
  /** The mark for what a built-in member starts by itself; programs of agent kinds get one each from `records`. */
  marker?: string;
  /** Tool servers of the configuration, read when they are needed. May throw; never written down anywhere. */
  mcpServers?: () => McpServers;
}
