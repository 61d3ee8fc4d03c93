/** What is known of the conversation with an ACP agent. Never changed, always replaced. */
import type { Guard, Usage } from "../../../protocol/index.ts";
import type { TurnInput } from "../../port.ts";
import type { Step, TurnOver } from "../../process/dialect.ts";
import { createExchange, type Exchange } from "../../json-rpc/exchange.ts";
import { writeCall, type RpcId } from "../../json-rpc/messages.ts";
import type { Changes } from "./tools/changes.ts";
import type { Fields } from "../../json-rpc/fields.ts";
import type { OfferedCommand, PlanItem } from "./options.ts";
import type { ToolFacts } from "./tools/facts.ts";

/** Our calls that the agent has not answered yet. */
export type Call =
  | { readonly kind: "initialize" | "authenticate" | "barrier" | "prompt" | "steer" }
  | { readonly kind: "open"; readonly how: "new" | "load" | "resume" }
  | { readonly kind: "model" | "effort" | "mode"; readonly wanted: string };

/** A request of the agent that waits for its answer. */
export type PendingRequest =
  | PendingPermission
  | { readonly kind: "extension"; readonly method: string; readonly params: Fields };

export interface PendingPermission {
  readonly kind: "permission";
  readonly toolCallId: string;
  readonly options: readonly PermissionOption[];
  /** It is about a mode of the agent's, not about a call. */
  readonly isMode: boolean;
}

export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: string;
}

/** Something to settle with the agent before it takes the next prompt. */
export interface QueuedCall {
  readonly call: Call;
  readonly method: string;
  readonly params: object;
}

export interface AcpState {
  readonly nextId: number;
  readonly calls: ReadonlyMap<RpcId, Call>;
  readonly requests: Exchange<never, PendingRequest>;
  readonly queuedCalls: readonly QueuedCall[];
  /** The answer to `initialize`. */
  readonly offer: Fields;
  /** The session to be taken up; null once it is open, or when there is none. */
  readonly knownSessionId: string | null;
  readonly sessionId: string | null;
  /** Our sandbox stands around this very process. */
  readonly isSandboxed: boolean;
  readonly modes: Modes;
  /** What holds the agent back, as it was told; null until it is. */
  readonly guard: Guard | null;
  /** Until the first prompt, what comes is history that the agent reads back to us. */
  readonly isReplaying: boolean;
  /** The earlier session could not be taken up, and nobody has told the new one yet what was said. */
  readonly isLost: boolean;
  readonly hasAuthenticated: boolean;
  /** The agent has not learnt of the table's tools yet. */
  readonly awaitsTools: boolean;
  readonly models: Models;
  readonly effort: Effort;
  /** Null until the agent has told them. */
  readonly commands: readonly OfferedCommand[] | null;
  /** Tokens in its context, as last told. */
  readonly used: number | null;
  /** Why no session could be opened. */
  readonly failure: TurnOver | null;
  readonly isFailureReported: boolean;
  readonly turn: AcpTurn | null;
  /** Calls that were open when their turn ended; what is still told of them is no news of the next one. */
  readonly leftTools: ReadonlySet<string>;
  /** What the whole session has cost so far; null as long as the agent does not tell. */
  readonly costUsd: number | null;
  /** Whether all of that is of turns that we have seen. */
  readonly isNewSession: boolean;
  /** The tokens that it told with its last answer. */
  readonly counted: Usage | null;
  /** What some agents say first in a session, as if the model had said it. */
  readonly greeting: string | null;
  /** Why the user denied calls, for the next prompt. */
  readonly reasons: readonly string[];
}

export interface Modes {
  readonly current: string | null;
  readonly offered: readonly OfferedMode[];
  /** The choice that stands for the mode; null where the agent has modes as such. */
  readonly configId: string | null;
  /** The one that the agent must work in; null: whichever it likes. */
  readonly wanted: string | null;
  readonly isConfirmed: boolean;
}

export interface OfferedMode {
  readonly id: string;
  readonly name: string;
}

export const NO_MODES: Modes = { current: null, offered: [], configId: null, wanted: null, isConfirmed: false };

export interface Models {
  readonly current: string | null;
  /** Wanted, and said to be not available. */
  readonly refused: string | null;
  /** Null: the agent does not let us choose. */
  readonly via: { readonly by: "set_model" } | { readonly by: "option"; readonly configId: string } | null;
}

/** The agent's own choice of how hard its model thinks. */
export interface Effort {
  /** Null: it offers none. */
  readonly configId: string | null;
  readonly current: string | null;
  readonly offered: readonly string[];
  /** The model for which the wanted one was asked for. */
  readonly requestedFor: string | null;
}

export const NO_EFFORT: Effort = { configId: null, current: null, offered: [], requestedFor: null };

export interface AcpTurn {
  readonly input: TurnInput;
  /** Set when nobody waits for an answer: the agent is to compact its context. */
  readonly compaction: {
    readonly focus: string | null;
    /** Tokens in its context when it was asked to. */
    readonly before: number | null;
    /** Whether it is known by which command. */
    readonly isChosen: boolean;
  } | null;
  /** Whether the prompt is with the agent. */
  readonly isSent: boolean;
  readonly isCancelled: boolean;
  /** Prompts of this turn, steers too, that the agent has not answered. */
  readonly openPrompts: number;
  readonly segment: "text" | "thinking" | null;
  readonly messageId: string | null;
  /** The last text and the last thought, of an agent that sends them again as a whole. */
  readonly emitted: { readonly text: EmittedText | null; readonly thinking: EmittedText | null };
  /** How the text that is open begins. */
  readonly textHead: string;
  /** Something was said or done since a prompt of this turn was answered. */
  readonly isWorkSince: boolean;
  /** Texts that were told and ended since the last call began. */
  readonly textsSinceCall: number;
  /** How often usage was told since the last text; null when something else came since, or there is none. */
  readonly usagesSinceText: number | null;
  /** Usage was told before anything was said: this agent tells it when a message begins, too. */
  readonly isUsageReportedAtStart: boolean;
  readonly hasContent: boolean;
  readonly tools: ReadonlyMap<string, ToolFacts>;
  /** Files that its tools have changed, by their path. */
  readonly changes: Changes;
  readonly plan: readonly PlanItem[];
  /** The agent said that its turn failed, though it will end it as if it had not. */
  readonly hiddenError: string | null;
  readonly costBeforeUsd: number | null;
  readonly over: TurnOver | null;
}

export interface EmittedText {
  readonly messageId: string | null;
  readonly text: string;
  readonly chunks: number;
}

export type AcpStep = Step<AcpState>;

export function firstState(knownSessionId: string | null, { awaitsTools = false, isSandboxed = false } = {}): AcpState {
  return {
    nextId: 1,
    calls: new Map(),
    requests: createExchange(),
    queuedCalls: [],
    offer: {},
    knownSessionId,
    sessionId: null,
    isSandboxed,
    modes: NO_MODES,
    guard: null,
    isReplaying: false,
    isLost: false,
    hasAuthenticated: false,
    awaitsTools,
    models: { current: null, via: null, refused: null },
    effort: NO_EFFORT,
    commands: null,
    used: null,
    failure: null,
    isFailureReported: false,
    turn: null,
    leftTools: new Set(),
    costUsd: null,
    counted: null,
    isNewSession: false,
    greeting: null,
    reasons: [],
  };
}

export function firstTurn(input: TurnInput, costBeforeUsd: number | null): AcpTurn {
  return {
    input,
    compaction: null,
    isSent: false,
    isCancelled: false,
    openPrompts: 0,
    segment: null,
    messageId: null,
    emitted: { text: null, thinking: null },
    textHead: "",
    isWorkSince: false,
    textsSinceCall: 0,
    usagesSinceText: null,
    isUsageReportedAtStart: false,
    hasContent: false,
    tools: new Map(),
    changes: new Map(),
    plan: [],
    hiddenError: null,
    costBeforeUsd,
    over: null,
  };
}

/** Numbers as ids: every agent seen takes them. */
export function send(state: AcpState, call: Call, method: string, params: object): AcpStep {
  const calls = new Map(state.calls).set(state.nextId, call);
  return {
    state: { ...state, nextId: state.nextId + 1, calls },
    write: [writeCall(state.nextId, method, params)],
  };
}

export function withTurn(state: AcpState, turn: Partial<AcpTurn>): AcpState {
  return state.turn === null ? state : { ...state, turn: { ...state.turn, ...turn } };
}

/** One step, then another from where it led. */
export function andThen(step: AcpStep, next: (state: AcpState) => AcpStep): AcpStep {
  const after = next(step.state);
  return {
    state: after.state,
    events: [...(step.events ?? []), ...(after.events ?? [])],
    write: [...(step.write ?? []), ...(after.write ?? [])],
  };
}
