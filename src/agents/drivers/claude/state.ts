/** What a member's program is known to be doing. Never changed in place: a line may be read twice. */
import type { FileChange, Usage } from "../../../protocol/index.ts";
import type { CompactedEvent } from "../../port.ts";
import type { DialectEvent, Known, Step, TurnOver } from "../../process/dialect.ts";
import type { Fields } from "../../record-fields.ts";

/** FileChange is a schema's type; a map of them by path is what a turn has changed. */
export type Changes = ReadonlyMap<string, FileChange>;

export interface ClaudeState {
  /** Of our own control requests. */
  readonly lastRequest: number;
  readonly awaited: ReadonlyMap<string, Awaited>;
  /** What the program waits for, by the id it gave. */
  readonly pending: ReadonlyMap<string, PendingRequest>;
  readonly turn: TurnState | null;
  readonly isReady: boolean;
  /** Our hooks are run: the program has told of a prompt through one of them. */
  readonly isHooked: boolean;
  /** The wall around this very process stands. */
  readonly isSandboxed: boolean;
  /** False in a read-only session without a sandbox: a call of a shell is denied there by the program itself. */
  readonly hasShell: boolean;
  /** The session that the program was told to go on with. */
  readonly resumes: string | null;
  readonly sessionId: string | null;
  /** The model that the program was started with or told to use. */
  readonly model: string | null;
  /** All that was spent when the last result came; null when the program goes on with a session whose cost is unknown. */
  readonly costUsd: number | null;
  readonly isLimitShown: boolean;
  /** The context was compacted, and what is left of it is told in the next record. */
  readonly compacted: CompactedEvent | null;
}

export type Awaited =
  | { readonly what: "initialize" | "interrupt" | "cancel" }
  | { readonly what: "set_model"; readonly model: string };

export type PendingRequest =
  | { readonly what: "permission" | "question" | "plan"; readonly input: Fields; readonly toolId: string | undefined }
  | { readonly what: "tool"; readonly rpcId: unknown };

export interface TurnState {
  /** The id under which the program knows our message; null when it works without having been asked. */
  readonly uuid: string | null;
  /** That one, and those of all messages sent into this turn. */
  readonly uuids: ReadonlySet<string>;
  /** A queued message is not being answered yet: what is said meanwhile answers somebody else. */
  readonly phase: "sent" | "queued" | "started";
  /** The block that is being streamed and has no final record yet. */
  readonly open: OpenBlock | null;
  readonly tools: ReadonlySet<string>;
  readonly denied: ReadonlySet<string>;
  /** The latest records of what was said and called, which the program may take back. */
  readonly retractable: readonly RetractableRecord[];
  /** Messages for the running turn that the program has not taken up, by the id it knows them under. */
  readonly steers: ReadonlyMap<string, string>;
  /** How it ends if the program takes up none of them: it has told its result and waits. Null while it works. */
  readonly resting: { readonly over: TurnOver; readonly context: readonly DialectEvent[] } | null;
  readonly isInterruptRequested: boolean;
  /** Our hooks were not run, so that nothing would be asked about: the turn was stopped before it began. */
  readonly isUnhooked: boolean;
  /** The program was told to compact its context; nobody waits for an answer. */
  readonly isCompaction: boolean;
  /** The context was compacted in this turn, to so many tokens where that is told. */
  readonly compacted: { readonly after: number | null } | null;
  /** Why it could not be, in the program's own words. */
  readonly compactError: string | null;
  readonly hasText: boolean;
  readonly changes: Changes;
  /** Of what the program has given a result for, within this turn. */
  readonly ended: Usage;
  /** Of the model's answers since then. */
  readonly behind: Usage;
  /** The model's latest answer, as far as it is known. */
  readonly answer: { readonly model: string | null; readonly usage: Usage } | null;
}

export interface OpenBlock {
  readonly kind: "text" | "thinking";
  readonly index: number;
  readonly isShown: boolean;
  /** More than blanks were shown of it. */
  readonly hasVisibleText: boolean;
}

/** A record by the program's own id for it. */
export interface RetractableRecord {
  readonly uuid: string;
  readonly text?: string;
  readonly toolId?: string;
}

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

export function newState(
  { nativeSessionId: resumes, isSandboxed = false }: Known,
  model: string | null,
  isWritable: boolean,
): ClaudeState {
  return {
    lastRequest: 0,
    awaited: new Map(),
    pending: new Map(),
    turn: null,
    isReady: false,
    isHooked: false,
    isSandboxed,
    hasShell: isWritable || isSandboxed,
    resumes,
    sessionId: null,
    model,
    costUsd: resumes === null ? 0 : null,
    isLimitShown: false,
    compacted: null,
  };
}

export function newTurn(uuid: string | null): TurnState {
  return {
    uuid,
    uuids: new Set(uuid === null ? [] : [uuid]),
    phase: "sent",
    open: null,
    tools: new Set(),
    denied: new Set(),
    retractable: [],
    steers: new Map(),
    resting: null,
    isInterruptRequested: false,
    isUnhooked: false,
    isCompaction: false,
    compacted: null,
    compactError: null,
    hasText: false,
    changes: new Map(),
    ended: NO_USAGE,
    behind: NO_USAGE,
    answer: null,
  };
}

/**
 * The turn that what comes in belongs to; null when it belongs to none of ours. A program that speaks without having
 * been asked is heard all the same: whoever has no turn for it says so.
 */
export function currentTurn({ turn }: ClaudeState): TurnState | null {
  if (turn === null) return newTurn(null);
  return turn.phase === "queued" ? null : turn;
}

/** The turn for which the program may ask and call something; null when it works at something of its own. */
export function promptedTurn(state: ClaudeState): TurnState | null {
  const turn = currentTurn(state);
  return turn === null || turn.uuid === null ? null : turn;
}

/** Whatever the program makes of it: a call that we denied has not run. */
export function withDenied(state: ClaudeState, toolId: string | undefined): ClaudeState {
  const { turn } = state;
  if (turn === null || toolId === undefined) return state;
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
