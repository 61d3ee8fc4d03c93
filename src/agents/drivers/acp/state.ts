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
  /** Session to load; undefined once it is open, or when there is none. */
  readonly knownSessionId: string | undefined;
  readonly sessionId: string | undefined;
  /** This process runs in our sandbox. */
  readonly isSandboxed: boolean;
  readonly modes: Modes;
  /** Guard as reported; undefined until it is. */
  readonly guard: Guard | undefined;
  /** Until the first prompt, updates are history that the agent replays. */
  readonly isReplaying: boolean;
  /** The earlier session could not be loaded, and the new one has not been told its history. */
  readonly isLost: boolean;
  readonly hasAuthenticated: boolean;
  /** The agent has not listed the host tools yet. */
  readonly awaitsTools: boolean;
  readonly models: Models;
  readonly effort: Effort;
  /** Undefined until the agent has listed them. */
  readonly commands: readonly OfferedCommand[] | undefined;
  /** Tokens in its context, as last reported. */
  readonly used: number | undefined;
  /** Why no session could be opened. */
  readonly failure: TurnOver | undefined;
  readonly isFailureReported: boolean;
  readonly turn: AcpTurn | undefined;
  /** Calls that were open when their turn ended; later updates about them do not belong to the next one. */
  readonly leftTools: ReadonlySet<string>;
  /** Cost of the whole session so far; undefined until the agent reports it. */
  readonly costUsd: number | undefined;
  /** Whether all of that cost is of turns that we have seen. */
  readonly isNewSession: boolean;
  /** Tokens reported with its last answer. */
  readonly counted: Usage | undefined;
  /** Greeting that some agents send as model text when a session opens. */
  readonly greeting: string | undefined;
  /** Why the user denied calls, for the next prompt. */
  readonly reasons: readonly string[];
}

export interface Modes {
  readonly current: string | undefined;
  readonly offered: readonly OfferedMode[];
  /** Config option that holds the mode; undefined where the agent has modes as such. */
  readonly configId: string | undefined;
  /** Mode that the agent must work in; undefined: any. */
  readonly wanted: string | undefined;
  readonly isConfirmed: boolean;
}

export interface OfferedMode {
  readonly id: string;
  readonly name: string;
}

export const NO_MODES: Modes = {
  current: undefined,
  offered: [],
  configId: undefined,
  wanted: undefined,
  isConfirmed: false,
};

export interface Models {
  readonly current: string | undefined;
  /** Wanted mode that was reported as unavailable. */
  readonly refused: string | undefined;
  /** Undefined: the agent offers no choice. */
  readonly via: { readonly by: "set_model" } | { readonly by: "option"; readonly configId: string } | undefined;
}

/** The agent's own option for reasoning effort. */
export interface Effort {
  /** Undefined: it offers none. */
  readonly configId: string | undefined;
  readonly current: string | undefined;
  readonly offered: readonly string[];
  /** Model for which the wanted effort was requested. */
  readonly requestedFor: string | undefined;
}

export const NO_EFFORT: Effort = { configId: undefined, current: undefined, offered: [], requestedFor: undefined };

export interface AcpTurn {
  readonly input: TurnInput;
  /** Set for a compaction, which has no answer for the user. */
  readonly compaction:
    | {
        readonly focus: string | undefined;
        /** Tokens in its context when it was requested. */
        readonly before: number | undefined;
        /** Whether the command has been chosen. */
        readonly isChosen: boolean;
      }
    | undefined;
  /** Whether the prompt was sent. */
  readonly isSent: boolean;
  readonly isCancelled: boolean;
  /** Unanswered prompts of this turn, including steers. */
  readonly openPrompts: number;
  readonly segment: "text" | "thinking" | undefined;
  readonly messageId: string | undefined;
  /** Last text and last thought, of an agent that repeats them as a whole. */
  readonly emitted: { readonly text: EmittedText | undefined; readonly thinking: EmittedText | undefined };
  /** Beginning of the open text. */
  readonly textHead: string;
  /** Output or calls since a prompt of this turn was answered. */
  readonly isWorkSince: boolean;
  /** Texts that ended since the last call began. */
  readonly textsSinceCall: number;
  /** Usage reports since the last text; undefined after anything else. */
  readonly usagesSinceText: number | undefined;
  /** Usage was reported before any text: this agent also reports it when a message begins. */
  readonly isUsageReportedAtStart: boolean;
  readonly hasContent: boolean;
  readonly tools: ReadonlyMap<string, ToolFacts>;
  /** Files changed by its tools, by path. */
  readonly changes: Changes;
  readonly plan: readonly PlanItem[];
  /** Failure that the agent reported, though it will end the turn as if it had succeeded. */
  readonly hiddenError: string | undefined;
  readonly costBeforeUsd: number | undefined;
  readonly over: TurnOver | undefined;
}

export interface EmittedText {
  readonly messageId: string | undefined;
  readonly text: string;
  readonly chunks: number;
}

export type AcpStep = Step<AcpState>;

export function firstState(
  knownSessionId: string | undefined,
  { awaitsTools = false, isSandboxed = false } = {},
): AcpState {
  return {
    nextId: 1,
    calls: new Map(),
    requests: createExchange(),
    queuedCalls: [],
    offer: {},
    knownSessionId,
    sessionId: undefined,
    isSandboxed,
    modes: NO_MODES,
    guard: undefined,
    isReplaying: false,
    isLost: false,
    hasAuthenticated: false,
    awaitsTools,
    models: { current: undefined, via: undefined, refused: undefined },
    effort: NO_EFFORT,
    commands: undefined,
    used: undefined,
    failure: undefined,
    isFailureReported: false,
    turn: undefined,
    leftTools: new Set(),
    costUsd: undefined,
    counted: undefined,
    isNewSession: false,
    greeting: undefined,
    reasons: [],
  };
}

export function firstTurn(input: TurnInput, costBeforeUsd: number | undefined): AcpTurn {
  return {
    input,
    compaction: undefined,
    isSent: false,
    isCancelled: false,
    openPrompts: 0,
    segment: undefined,
    messageId: undefined,
    emitted: { text: undefined, thinking: undefined },
    textHead: "",
    isWorkSince: false,
    textsSinceCall: 0,
    usagesSinceText: undefined,
    isUsageReportedAtStart: false,
    hasContent: false,
    tools: new Map(),
    changes: new Map(),
    plan: [],
    hiddenError: undefined,
    costBeforeUsd,
    over: undefined,
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
  return state.turn === undefined ? state : { ...state, turn: { ...state.turn, ...turn } };
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
