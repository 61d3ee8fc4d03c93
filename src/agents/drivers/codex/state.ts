/** State of one member's thread at the Codex server, and of its running turn. */
import type { Usage } from "../../../protocol/index.ts";
import { createExchange, type Exchange } from "../../json-rpc/exchange.ts";
import type { SteerInput, TurnInput } from "../../port.ts";
import type { Step, TurnOver } from "../../process/dialect.ts";
import type { PendingRequest } from "./requests.ts";
import type { Fields } from "../../json-rpc/fields.ts";
import type { MemberFacts } from "./config/member-facts.ts";
import type { Tokens } from "./turn/tokens.ts";

export interface CodexOptions {
  readonly member: string;
  readonly cwd: string;
  /** The same path with links resolved, where that is known. */
  readonly realCwd?: string | undefined;
  readonly isWritable: boolean;
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  /** System prompt of the member, for its whole thread. */
  readonly instructions?: string | undefined;
  /** Keeps ids of this member's calls apart from those of others at the same server. */
  readonly idPrefix: string;
  /** Rule of the user that denies a call; undefined when none does. Absent: there are no rules. */
  readonly deniedBy?: (tool: string, call: string) => string | undefined;
  /** Run marker in the environment of this thread's commands. */
  readonly marker: string;
}

export type ThreadFacts = Pick<MemberFacts, "isSandboxed" | "hasToAsk" | "config" | "notes">;

export type Call =
  | { readonly kind: "open_thread"; readonly isResume: boolean; readonly isPlain: boolean }
  | { readonly kind: "models" }
  /** `turnId` is ours: a late answer must not be taken for the next turn's. */
  | { readonly kind: "turn" | "compact"; readonly turnId: string }
  | { readonly kind: "steer"; readonly turnId: string; readonly messageId: string }
  /** `isAfterStart`: Codex had started the turn when it was interrupted. */
  | { readonly kind: "interrupt"; readonly turnId: string; readonly isAfterStart: boolean }
  | { readonly kind: "clean"; readonly turnId: string }
  /** Nobody waits for its answer. */
  | { readonly kind: "aside" };

export interface CodexState {
  readonly options: CodexOptions;
  readonly facts: ThreadFacts;
  readonly exchange: Exchange<Call, PendingRequest>;
  /** Open thread at this server; undefined while there is none. */
  readonly threadId: string | undefined;
  /** Our directory in Codex's own spelling, from a thread that it has started. */
  readonly threadCwd: string | undefined;
  /** Earlier thread to resume. */
  readonly knownThreadId: string | undefined;
  readonly turn: CodexTurn | undefined;
  /** Open file changes of subagents, by thread and item. */
  readonly subagentChanges: ReadonlyMap<string, Fields>;
  /** Running turns of subagents, by thread. */
  readonly subagentTurns: ReadonlyMap<string, string>;
  /** Tokens of the whole thread, as last reported. */
  readonly total: Tokens | undefined;
  /** Tokens in its context, as last reported. */
  readonly used: number | undefined;
  readonly limitsShown: string;
  readonly warned: ReadonlySet<string>;
}

export interface CodexTurn {
  readonly input: TurnInput;
  /** Codex's own id; undefined until it has accepted the turn. */
  readonly nativeId: string | undefined;
  readonly isSent: boolean;
  /** Codex has reported that it works on it. */
  readonly isBegun: boolean;
  /** A compaction, which Codex runs in a turn of its own and which has no answer for the user. */
  readonly isCompaction: boolean;
  readonly isCompacted: boolean;
  /** During a compaction: tokens before it, and whether they were reported since. */
  readonly compaction: { readonly before: number | undefined; readonly isReported: boolean } | undefined;
  readonly isStopRequested: boolean;
  /** Steers that arrived before the turn had an id. */
  readonly steers: readonly SteerInput[];
  /** Message and thought that are being streamed. */
  readonly text: Streamed | undefined;
  readonly thinking: Streamed | undefined;
  readonly thinkingPart: { readonly part: number; readonly isRaw: boolean } | undefined;
  /** Characters emitted per item by the time that it was complete or interrupted by another. */
  readonly emitted: ReadonlyMap<string, number>;
  /** Texts since the last complete message: lost when the stream breaks. */
  readonly unfinished: number;
  /** Texts of a broken stream, while nothing has replaced them. */
  readonly broken: { readonly texts: number; readonly reason: string } | undefined;
  /** Tool items that have started and not ended. */
  readonly tools: ReadonlyMap<string, Fields>;
  /** Items that Codex has asked about. */
  readonly requestedItems: ReadonlySet<string>;
  readonly diff: string;
  /** File changes that were made, in case no diff is reported. */
  readonly changes: readonly Fields[];
  /** Tokens of the thread when the turn started. */
  readonly before: Tokens | undefined;
  readonly usage: Usage | undefined;
  readonly error: Fields | undefined;
  /** End as reported by Codex, while the turn's remaining processes are cleaned up. */
  readonly ending: TurnOver | undefined;
}

export interface Streamed {
  readonly itemId: string;
  /** Characters emitted, now and when it was last started. */
  readonly chars: number;
  readonly before: number;
}

export type CodexStep = Step<CodexState>;

/** Limit of distinct warnings. */
export const WARNINGS_MAX = 20;

const NOTHING_KNOWN: ThreadFacts = { isSandboxed: false, hasToAsk: false, config: {}, notes: undefined };

export function initialState(
  options: CodexOptions,
  knownThreadId: string | undefined,
  facts: ThreadFacts = NOTHING_KNOWN,
): CodexState {
  return {
    options,
    facts,
    exchange: createExchange({ prefix: options.idPrefix }),
    threadId: undefined,
    threadCwd: undefined,
    knownThreadId,
    turn: undefined,
    subagentChanges: new Map(),
    subagentTurns: new Map(),
    total: undefined,
    used: undefined,
    limitsShown: "",
    warned: new Set(),
  };
}

export function openTurn(input: TurnInput, before: Tokens | undefined): CodexTurn {
  return {
    input,
    nativeId: undefined,
    isSent: false,
    isBegun: false,
    isCompaction: false,
    isCompacted: false,
    compaction: undefined,
    isStopRequested: false,
    steers: [],
    text: undefined,
    thinking: undefined,
    thinkingPart: undefined,
    emitted: new Map(),
    unfinished: 0,
    broken: undefined,
    tools: new Map(),
    requestedItems: new Set(),
    diff: "",
    changes: [],
    before,
    usage: undefined,
    error: undefined,
    ending: undefined,
  };
}

/** The same state with another turn; `turn` must be running. */
export function withTurn(state: CodexState, change: Partial<CodexTurn>): CodexState {
  return state.turn === undefined ? state : { ...state, turn: { ...state.turn, ...change } };
}

export function andThen(step: CodexStep, next: (state: CodexState) => CodexStep): CodexStep {
  const after = next(step.state);
  return {
    state: after.state,
    events: [...(step.events ?? []), ...(after.events ?? [])],
    write: [...(step.write ?? []), ...(after.write ?? [])],
  };
}
