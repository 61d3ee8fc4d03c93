/** State of the conversation with an ACP agent. Immutable. */
import type { Guard, Usage } from "../../../protocol/index.ts";
import type { TurnInput } from "../../port.ts";
import type { Step, TurnOver } from "../../process/dialect.ts";
import { createExchange, type Exchange } from "../../json-rpc/exchange.ts";
import { writeCall, type RpcId } from "../../json-rpc/messages.ts";
import type { Changes } from "./tools/changes.ts";
import type { Fields } from "../../json-rpc/fields.ts";
import type { OfferedCommand, PlanItem } from "./options.ts";
import type { ToolFacts } from "./tools/facts.ts";

/** Our calls that the agent has not answered. */
export type Call =
  | { readonly kind: "initialize" | "authenticate" | "barrier" | "prompt" | "steer" }
  | { readonly kind: "open"; readonly how: "new" | "load" | "resume" }
  | { readonly kind: "model" | "effort" | "mode"; readonly wanted: string };

/** Request of the agent that waits for an answer. */
export type PendingRequest =
  | PendingPermission
  | { readonly kind: "extension"; readonly method: string; readonly params: Fields };

export interface PendingPermission {
  readonly kind: "permission";
  readonly toolCallId: string;
  readonly options: readonly PermissionOption[];
  /** About a mode of the agent, not about a call. */
  readonly isMode: boolean;
}

export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: string;
}

/** Call that must be answered before the next prompt. */
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
  /** Answer to `initialize`. */
  readonly offer: Fields;
  /** Session to load; null once it is open, or when there is none. */
  readonly knownSessionId: string | null;
  readonly sessionId: string | null;
  /** This process runs in our sandbox. */
  readonly isSandboxed: boolean;
  readonly modes: Modes;
  /** Guard as reported; null until it is. */
  readonly guard: Guard | null;
  /** Until the first prompt, updates are history that the agent replays. */
  readonly isReplaying: boolean;
  /** The earlier session could not be loaded, and the new one has not been told its history. */
  readonly isLost: boolean;
  readonly hasAuthenticated: boolean;
  /** The agent has not listed the host tools yet. */
  readonly awaitsTools: boolean;
  readonly models: Models;
  readonly effort: Effort;
  /** Null until the agent has listed them. */
  readonly commands: readonly OfferedCommand[] | null;
  /** Tokens in its context, as last reported. */
  readonly used: number | null;
  /** Why no session could be opened. */
  readonly failure: TurnOver | null;
  readonly isFailureReported: boolean;
  readonly turn: AcpTurn | null;
  /** Calls that were open when their turn ended; later updates about them do not belong to the next one. */
  readonly leftTools: ReadonlySet<string>;
  /** Cost of the whole session so far; null until the agent reports it. */
  readonly costUsd: number | null;
  /** Whether all of that cost is of turns that we have seen. */
  readonly isNewSession: boolean;
  /** Tokens reported with its last answer. */
  readonly counted: Usage | null;
  /** Greeting that some agents send as model text when a session opens. */
  readonly greeting: string | null;
  /** Why the user denied calls, for the next prompt. */
  readonly reasons: readonly string[];
}

export interface Modes {
  readonly current: string | null;
  readonly offered: readonly OfferedMode[];
  /** Config option that holds the mode; null where the agent has modes as such. */
  readonly configId: string | null;
  /** Mode that the agent must work in; null: any. */
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
  /** Wanted mode that was reported as unavailable. */
  readonly refused: string | null;
  /** Null: the agent offers no choice. */
  readonly via: { readonly by: "set_model" } | { readonly by: "option"; readonly configId: string } | null;
}

/** The agent's own option for reasoning effort. */
export interface Effort {
  /** Null: it offers none. */
  readonly configId: string | null;
  readonly current: string | null;
  readonly offered: readonly string[];
  /** Model for which the wanted effort was requested. */
  readonly requestedFor: string | null;
}

export const NO_EFFORT: Effort = { configId: null, current: null, offered: [], requestedFor: null };

export interface AcpTurn {
  readonly input: TurnInput;
  /** Set for a compaction, which has no answer for the user. */
  readonly compaction: {
    readonly focus: string | null;
    /** Tokens in its context when it was requested. */
    readonly before: number | null;
    /** Whether the command has been chosen. */
    readonly isChosen: boolean;
  } | null;
  /** Whether the prompt was sent. */
  readonly isSent: boolean;
  readonly isCancelled: boolean;
  /** Unanswered prompts of this turn, including steers. */
  readonly openPrompts: number;
  readonly segment: "text" | "thinking" | null;
  readonly messageId: string | null;
  /** Last text and last thought, of an agent that repeats them as a whole. */
  readonly emitted: { readonly text: EmittedText | null; readonly thinking: EmittedText | null };
  /** Beginning of the open text. */
  readonly textHead: string;
  /** Output or calls since a prompt of this turn was answered. */
  readonly isWorkSince: boolean;
  /** Texts that ended since the last call began. */
  readonly textsSinceCall: number;
  /** Usage reports since the last text; null after anything else. */
  readonly usagesSinceText: number | null;
  /** Usage was reported before any text: this agent also reports it when a message begins. */
  readonly isUsageReportedAtStart: boolean;
  readonly hasContent: boolean;
  readonly tools: ReadonlyMap<string, ToolFacts>;
  /** Files changed by its tools, by path. */
  readonly changes: Changes;
  readonly plan: readonly PlanItem[];
  /** Failure that the agent reported, though it will end the turn as if it had succeeded. */
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

/** Numeric ids: every known agent accepts them. */
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

/** Runs one step, then the next on its state. */
export function andThen(step: AcpStep, next: (state: AcpState) => AcpStep): AcpStep {
  const after = next(step.state);
  return {
    state: after.state,
    events: [...(step.events ?? []), ...(after.events ?? [])],
    write: [...(step.write ?? []), ...(after.write ?? [])],
  };
}
