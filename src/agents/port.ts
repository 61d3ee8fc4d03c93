/**
 * The agent port: how a session drives one member, whatever program or model is behind it.
 *
 * Contract for every agent kind:
 * - An agent never throws and never rejects. Failures come up as `turn_done` with outcome "errored".
 * - After `send` of a turn exactly one `turn_done` for it comes up, also after `interrupt`, a crash or `close`.
 * - Nothing comes up after `close` has resolved.
 * - `interrupt` may be called at any time, repeatedly, and when nothing runs.
 * - Events are plain payloads: the session adds turn, member, segment and tool-call ids and the position in the log.
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
import type { Attached, ConversationHistory, Pinned, TurnPosition } from "./history.ts";
import type { ProgramEnvironment } from "./process/launch/environment.ts";
import type { ProcessRecords } from "./process/tracking/process-records.ts";
import type { SandboxSettings } from "./sandbox/sandbox.ts";

export interface Agent {
  readonly capabilities: Capabilities;
  /** Called once, first. Resolves when the agent can take a turn or knows why it cannot. */
  start(up: (event: AgentEvent) => void): Promise<void>;
  /** A new turn when none runs; a steer while one runs (only with `capabilities.steer`). */
  send(input: TurnInput | SteerInput): void;
  interrupt(): void;
  /**
   * Compacts the agent's own conversation between turns; only with `capabilities.compact`. Exactly one `compacted` or
   * `compact_failed` follows, also after `interrupt`; no turn is sent before that. `history` is given as for a turn,
   * only where Roundtable holds the context.
   */
  compact?(focus?: string, history?: ConversationHistory): void;
  /** Answers a `request` or `host_call`. An unknown callId is ignored. */
  answer(callId: string, result: AnswerResult): void;
  /** Ends whatever runs and releases everything. Safe to call twice. */
  close(): Promise<void>;
}

export interface TurnInput {
  kind: "turn";
  turnId: string;
  /** The whole question. */
  text: string;
  attachments: readonly Attachment[];
  /** `attachments` with their content; absent when nothing was read. */
  attached?: readonly Attached[];
  /** Who asks, if not the user: another member, whose text is not an instruction, or the session itself. */
  from?: { kind: "member"; name: string } | { kind: "table" };
  model?: string;
  /** Round of a discussion; absent for a message to single members. */
  round?: number;
  /** Maximum number of rounds, the opening one included. */
  rounds?: number;
  /** The member's own name. */
  self?: string;
  /** Absent when the agent still has it from an earlier turn. */
  systemPrompt?: string;
  /** Messages since the member's last turn, oldest first, without its own. */
  missed?: readonly MissedMessage[];
  /** Number of older entries of `missed` that were left out for size. */
  missedCut?: number;
  /** Summary of those entries. */
  leftOut?: LeftOut;
  /** Position of the turn in the log. */
  position?: TurnPosition;
  /**
   * The whole context, when the agent has none or its context differs from the log. Replaces what the agent remembers.
   */
  history?: ConversationHistory;
  /** Replacement prompt parts for a program that lost its session. Absent when no session is resumed. */
  coldStart?: () => ColdStart;
}

/** As much of the conversation as fits, for an agent without context. */
export type ColdStart = Pick<TurnInput, "systemPrompt" | "missed" | "missedCut" | "leftOut">;

/** Summary of entries that a member does not get in full. */
export interface LeftOut {
  entries: number;
  /** Older messages that are not in memory, so it is unknown which of them the member has seen. */
  older: number;
  /** Entries by speaker; an undefined name is the user. */
  bySpeaker: readonly { name: string | undefined; entries: number }[];
  /** First lines of the oldest entry and of the newest ones left out. */
  firstLines: readonly MissedMessage[];
}

/** The speaker comes from the log, never from text. */
export interface MissedMessage {
  speaker: { kind: "user" } | { kind: "member"; name: string };
  text: string;
}

/**
 * Message for the running turn. Accepted: `steered` comes up. Otherwise nothing does, and the session delivers it with
 * the next turn.
 */
export interface SteerInput {
  kind: "steer";
  messageId: string;
  text: string;
}

export interface AnswerResult {
  result: Json;
  /** Set when there is no answer: the request expired, was cancelled, or failed. */
  error: string | null;
  /** Why the user denied it; passed on to the agent. */
  reason?: string;
}

/** Payloads of protocol events that the session passes on with an envelope. */
type Passing<Type extends EventType> = Omit<DraftOf<Type>, "turnId" | "member">;

/** With the agent's own tool id; the session assigns `toolCallId`. */
type ToolEvent<Type extends EventType> = Omit<DraftOf<Type>, "turnId" | "member" | "toolCallId" | "nativeId"> & {
  nativeId: string;
};

export type AgentEvent =
  | { type: "text_delta"; text: string }
  /** Ends a text. `text`, when given, is authoritative: everything since the previous text. */
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
  /** For members whose context is rebuilt from the log: each step, in order with text and tool calls. */
  | { type: "context_entry"; entry: ContextEntry }
  | Passing<"member_session">
  /** Models the member can be switched to; sent again when they change. */
  | Passing<"member_models">
  /** Sent on every start of its program, before the first turn. */
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
  /** Asks the user. The session answers with `answer(callId)`; after a timeout with the safe default. */
  | {
      type: "request";
      callId: string;
      request: UiRequestBody;
      timeoutMs?: number;
      nativeToolId?: string;
      /** Roundtable's own question whether the member may work unguarded; never asked by a program. */
      consent?: "unguarded";
    }
  /** The agent no longer waits for the answer to a `request`. */
  | { type: "request_withdrawn"; callId: string }
  /** Call of one of our host tools. */
  | { type: "host_call"; callId: string; tool: string; args: Json }
  | { type: "steered"; messageId: string }
  | SubagentEvent
  | CompactedEvent
  /** A requested `compact` failed. Never sent for compaction the agent started itself. */
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
 * The agent's conversation was compacted, on request or by the agent itself, in a turn or between turns. `native`: done
 * by its own program, so everything else is optional. Figures are tokens.
 */
export type CompactedEvent = { type: "compacted"; native?: true } & Partial<
  Omit<DraftOf<"compaction">, "type" | "turnId" | "member" | "native">
>;

/**
 * A part of the turn that runs in a conversation of its own. Its events come wrapped in `subagent_event`; those of a
 * nested subagent inside the events of its parent.
 */
export type SubagentEvent =
  /** `nativeToolId` names the call that started it. */
  | { type: "subagent_start"; subagentId: string; name: string; task: string; nativeToolId?: string; model?: string }
  | { type: "subagent_event"; subagentId: string; event: AgentEvent }
  /** Exactly once for each one started, before `turn_done`. */
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

/** Must not throw: an agent that cannot be created is one whose turns end errored. */
export type AgentFactory = (spec: MemberSpec, setup: AgentSetup) => Agent;

/** Where and how an agent runs. */
export interface AgentSetup {
  sessionId: string;
  /** Working directory of the session, absolute. */
  cwd: string;
  writable: boolean;
  /** Session id of the agent's own program, to be resumed where it can. */
  nativeSessionId?: string;
  /** Records of the processes an agent starts. Absent: none are kept. */
  records?: ProcessRecords;
  /** What the user pinned, oldest first. Never rejects. */
  pinned?: () => Promise<readonly Pinned[]>;
  /** Decision of rules and remembered approvals, for members whose tools run here. Absent: only the user decides. */
  judge?: Judge;
  /** Environment of its program; kept in memory only. Absent: our own. */
  environment?: ProgramEnvironment;
  /** Absent: no sandbox. */
  sandbox?: SandboxSettings;
  /** Existing paths that deny rules name, read at call time; closed in the sandbox too. */
  deniedPaths?: () => readonly string[];
  /** Whether the user agreed that this member works unguarded in a read-only session. */
  hasAgreed?: () => boolean;
  /** Credentials of its model's address, from the configuration; kept in memory only. */
  credentials?: Credentials;
  /** Marker for processes of built-in members; programs of other kinds get one each from `records`. */
  marker?: string;
  /** Configured MCP servers, read on demand. May throw; never stored. */
  mcpServers?: () => McpServers;
}
