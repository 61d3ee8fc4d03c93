/** What is known of one member's thread at the Codex server, and of the turn that runs in it. */
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
  /** The same place with its links resolved, where that is known. */
  readonly realCwd?: string | undefined;
  readonly isWritable: boolean;
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  /** What the member is told about itself, for its whole thread. */
  readonly instructions?: string | undefined;
  /** Tells calls of this member from those of the others at the same server. */
  readonly idPrefix: string;
  /** The rule of the user by which a call is denied; null when none does. Absent: there are no rules. */
  readonly deniedBy?: (tool: string, call: string) => string | null;
  /** The mark that commands of this thread carry in their environment. */
  readonly marker: string;
}

export type ThreadFacts = Pick<MemberFacts, "isSandboxed" | "hasToAsk" | "config" | "notes">;

export type Call =
  | { readonly kind: "open_thread"; readonly isResume: boolean; readonly isPlain: boolean }
  | { readonly kind: "models" }
  /** `turnId` is ours: an answer that comes after the turn must not be taken for the next one's. */
  | { readonly kind: "turn" | "compact"; readonly turnId: string }
  | { readonly kind: "steer"; readonly turnId: string; readonly messageId: string }
  /** `isAfterStart`: Codex had begun the turn when it was told. */
  | { readonly kind: "interrupt"; readonly turnId: string; readonly isAfterStart: boolean }
  | { readonly kind: "clean"; readonly turnId: string }
  /** Nobody waits for its answer. */
  | { readonly kind: "aside" };

export interface CodexState {
  readonly options: CodexOptions;
  readonly facts: ThreadFacts;
  readonly exchange: Exchange<Call, PendingRequest>;
  /** The thread that is open at this server; null while there is none. */
  readonly threadId: string | null;
  /** Where Codex says that a thread it has begun for us works: our directory in its own spelling. */
  readonly threadCwd: string | null;
  /** A thread from before, to be resumed. */
  readonly knownThreadId: string | null;
  readonly turn: CodexTurn | null;
  /** File changes that subagents have begun and not ended, by thread and item. */
  readonly subagentChanges: ReadonlyMap<string, Fields>;
  /** Turns that subagents are at, by thread. */
  readonly subagentTurns: ReadonlyMap<string, string>;
  /** All tokens of the thread so far, as last told. */
  readonly total: Tokens | null;
  /** Tokens in its context, as last told. */
  readonly used: number | null;
  readonly limitsShown: string;
  readonly warned: ReadonlySet<string>;
}

export interface CodexTurn {
  readonly input: TurnInput;
  /** Codex's own id; null until it has taken the turn. */
  readonly nativeId: string | null;
  readonly isSent: boolean;
  /** Codex has said that it works on it. */
  readonly isBegun: boolean;
  /** Codex was told to compact the thread, which it does in a turn of its own; nobody waits for an answer. */
  readonly isCompaction: boolean;
  readonly isCompacted: boolean;
  /** While the context is being compacted: what it held before, and whether its tokens were told since. */
  readonly compaction: { readonly before: number | null; readonly isReported: boolean } | null;
  readonly isStopRequested: boolean;
  /** Steers that came before the turn had an id. */
  readonly steers: readonly SteerInput[];
  /** The message and the thought that are being streamed. */
  readonly text: Streamed | null;
  readonly thinking: Streamed | null;
  readonly thinkingPart: { readonly part: number; readonly isRaw: boolean } | null;
  /** By item, how many characters were told of it by the time that it was complete or another came in between. */
  readonly emitted: ReadonlyMap<string, number>;
  /** Texts that were told since a message was complete: what is gone when the stream breaks. */
  readonly unfinished: number;
  /** Texts of a stream that broke, while nothing has taken their place. */
  readonly broken: { readonly texts: number; readonly reason: string } | null;
  /** Tool items that have begun and not ended. */
  readonly tools: ReadonlyMap<string, Fields>;
  /** Items that Codex has asked about. */
  readonly requestedItems: ReadonlySet<string>;
  readonly diff: string;
  /** File changes that were made, for the case that no diff is told. */
  readonly changes: readonly Fields[];
  /** The thread's tokens when the turn began. */
  readonly before: Tokens | null;
  readonly usage: Usage | null;
  readonly error: Fields | null;
  /** The end as Codex told it, while what the turn left running is being cleaned up. */
  readonly ending: TurnOver | null;
}

export interface Streamed {
  readonly itemId: string;
  /** Characters told of it, now and by the time that it was last begun. */
  readonly chars: number;
  readonly before: number;
}

export type CodexStep = Step<CodexState>;

/** A program that warns in ever new words is heard this often. */
export const WARNINGS_MAX = 20;

const NOTHING_KNOWN: ThreadFacts = { isSandboxed: false, hasToAsk: false, config: {}, notes: null };

export function initialState(
  options: CodexOptions,
  knownThreadId: string | null,
  facts: ThreadFacts = NOTHING_KNOWN,
): CodexState {
  return {
    options,
    facts,
    exchange: createExchange({ prefix: options.idPrefix }),
    threadId: null,
    threadCwd: null,
    knownThreadId,
    turn: null,
    subagentChanges: new Map(),
    subagentTurns: new Map(),
    total: null,
    used: null,
    limitsShown: "",
    warned: new Set(),
  };
}

export function openTurn(input: TurnInput, before: Tokens | null): CodexTurn {
  return {
    input,
    nativeId: null,
    isSent: false,
    isBegun: false,
    isCompaction: false,
    isCompacted: false,
    compaction: null,
    isStopRequested: false,
    steers: [],
    text: null,
    thinking: null,
    thinkingPart: null,
    emitted: new Map(),
    unfinished: 0,
    broken: null,
    tools: new Map(),
    requestedItems: new Set(),
    diff: "",
    changes: [],
    before,
    usage: null,
    error: null,
    ending: null,
  };
}

/** The same state with another turn; `turn` must be running. */
export function withTurn(state: CodexState, change: Partial<CodexTurn>): CodexState {
  return state.turn === null ? state : { ...state, turn: { ...state.turn, ...change } };
}

export function andThen(step: CodexStep, next: (state: CodexState) => CodexStep): CodexStep {
  const after = next(step.state);
  return {
    state: after.state,
    events: [...(step.events ?? []), ...(after.events ?? [])],
    write: [...(step.write ?? []), ...(after.write ?? [])],
  };
}
