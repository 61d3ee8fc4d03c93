/** State of a member's program. Immutable: a line may be parsed twice. */
import type { FileChange, Usage } from "../../../protocol/index.ts";
import type { CompactedEvent } from "../../port.ts";
import type { DialectEvent, Known, Step, TurnOver } from "../../process/dialect.ts";
import type { Fields } from "../../../kit/fields.ts";

/** Files that a turn has changed, by path. */
export type Changes = ReadonlyMap<string, FileChange>;

export interface ClaudeState {
  /** Number of our last control request. */
  readonly lastRequest: number;
  readonly awaited: ReadonlyMap<string, Awaited>;
  /** Open requests of the program, by id. */
  readonly pending: ReadonlyMap<string, PendingRequest>;
  /** Where calls are made that are not made in the session's directory, by the call's id. */
  readonly elsewhere: ReadonlyMap<string, string>;
  readonly turn: TurnState | undefined;
  readonly isReady: boolean;
  /** Our hooks run: one of them has reported a prompt. */
  readonly isHooked: boolean;
  /** This process runs in our sandbox. */
  readonly isSandboxed: boolean;
  /** False in a read-only session without a sandbox: there the program itself denies shell calls. */
  readonly hasShell: boolean;
  /** Session that the program was told to resume. */
  readonly resumes: string | undefined;
  readonly sessionId: string | undefined;
  /** Model that the program was started with or told to use. */
  readonly model: string | undefined;
  /** Total cost at the last result; undefined for a resumed session, whose earlier cost is unknown. */
  readonly costUsd: number | undefined;
  readonly isLimitShown: boolean;
  /** The context was compacted; the next record has the summary. */
  readonly compacted: CompactedEvent | undefined;
}

export type Awaited =
  | { readonly what: "initialize" | "interrupt" | "cancel" }
  | { readonly what: "set_model"; readonly model: string };

export type PendingRequest =
  | { readonly what: "permission" | "question" | "plan"; readonly input: Fields; readonly toolId: string | undefined }
  | { readonly what: "tool"; readonly rpcId: unknown };

export interface TurnState {
  /** Id of our message; undefined when the program works without a prompt. */
  readonly uuid: string | undefined;
  /** Ids of that message and of all steers of this turn. */
  readonly uuids: ReadonlySet<string>;
  /** A queued message is not being answered yet: text meanwhile belongs to another one. */
  readonly phase: "sent" | "queued" | "started";
  /** Block that is being streamed and has no final record yet. */
  readonly open: OpenBlock | undefined;
  readonly tools: ReadonlySet<string>;
  readonly denied: ReadonlySet<string>;
  /** Latest records of text and calls, which the program may retract. */
  readonly retractable: readonly RetractableRecord[];
  /** Steers that the program has not read, by its id of them. */
  readonly steers: ReadonlyMap<string, string>;
  /** Outcome if the program reads none of them: it has reported its result and waits. Undefined while it works. */
  readonly resting: { readonly over: TurnOver; readonly context: readonly DialectEvent[] } | undefined;
  readonly isInterruptRequested: boolean;
  /** Our hooks did not run, so nothing would need approval: the turn was stopped before it began. */
  readonly isUnhooked: boolean;
  /** A compaction, which has no answer for the user. */
  readonly isCompaction: boolean;
  /** The context was compacted in this turn, to so many tokens where reported. */
  readonly compacted: { readonly after: number | undefined } | undefined;
  /** Why it failed, in the program's own text. */
  readonly compactError: string | undefined;
  readonly hasText: boolean;
  readonly changes: Changes;
  /** Usage covered by results within this turn. */
  readonly ended: Usage;
  /** Usage of answers since then. */
  readonly behind: Usage;
  /** The model's latest answer, as far as it is known. */
  readonly answer: { readonly model: string | undefined; readonly usage: Usage } | undefined;
}

export interface OpenBlock {
  readonly kind: "text" | "thinking";
  readonly index: number;
  readonly isShown: boolean;
  /** More than blanks were emitted. */
  readonly hasVisibleText: boolean;
}

/** Record by the program's id. */
export interface RetractableRecord {
  readonly uuid: string;
  readonly text?: string;
  readonly toolId?: string;
}

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

export function newState(
  { nativeSessionId: resumes, isSandboxed = false }: Known,
  model: string | undefined,
  isWritable: boolean,
): ClaudeState {
  return {
    lastRequest: 0,
    awaited: new Map(),
    pending: new Map(),
    elsewhere: new Map(),
    turn: undefined,
    isReady: false,
    isHooked: false,
    isSandboxed,
    hasShell: isWritable || isSandboxed,
    resumes,
    sessionId: undefined,
    model,
    costUsd: resumes === undefined ? 0 : undefined,
    isLimitShown: false,
    compacted: undefined,
  };
}

export function newTurn(uuid: string | undefined): TurnState {
  return {
    uuid,
    uuids: new Set(uuid === undefined ? [] : [uuid]),
    phase: "sent",
    open: undefined,
    tools: new Set(),
    denied: new Set(),
    retractable: [],
    steers: new Map(),
    resting: undefined,
    isInterruptRequested: false,
    isUnhooked: false,
    isCompaction: false,
    compacted: undefined,
    compactError: undefined,
    hasText: false,
    changes: new Map(),
    ended: NO_USAGE,
    behind: NO_USAGE,
    answer: undefined,
  };
}

/**
 * Turn that incoming records belong to; undefined when they belong to none of ours. A program that works without a
 * prompt is parsed all the same, and its output reported.
 */
export function currentTurn({ turn }: ClaudeState): TurnState | undefined {
  if (turn === undefined) return newTurn(undefined);
  return turn.phase === "queued" ? undefined : turn;
}

/** Turn for which the program may ask and call; undefined when it works without a prompt. */
export function promptedTurn(state: ClaudeState): TurnState | undefined {
  const turn = currentTurn(state);
  return turn === undefined || turn.uuid === undefined ? undefined : turn;
}

/** A call that we denied has not run, whatever the program reports. */
export function withDenied(state: ClaudeState, toolId: string | undefined): ClaudeState {
  const { turn } = state;
  if (turn === undefined || toolId === undefined) return state;
  return withTurn(state, { ...turn, denied: new Set(turn.denied).add(toolId) });
}

export function withTurn(state: ClaudeState, turn: TurnState): ClaudeState {
  return state.turn === turn ? state : { ...state, turn };
}

export function step(
  state: ClaudeState,
  events: readonly DialectEvent[] = [],
  write: readonly string[] = [],
): Step<ClaudeState> {
  return { state, events, write };
}

export function without<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): ReadonlyMap<Key, Value> {
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}
