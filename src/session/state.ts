/**
 * State that the functions of one session share: log, clock, members, running turns. It imports no decisions, so that
 * every part of session/ can depend on it.
 */
import type { Clock } from "../kit/clock.ts";
import type { MissedMessage, TurnInput } from "../agents/index.ts";
import { RoundtableError, type DraftOf, type MemberSpec, type Settings } from "../protocol/index.ts";
import type { MemberState } from "../transcript/index.ts";
import { unknownMember } from "./delivery/addressing.ts";
import type { Approvals } from "./approvals/approvals.ts";
import type { FileTouches } from "./turn/file-touches.ts";
import type { WhyNotWritable } from "./check-writable.ts";
import type { ExchangeState } from "./council/exchanges/state.ts";
import type { Message } from "./delivery/mailbox.ts";
import type { Ledger } from "./ledger.ts";
import type { MinutesSubject } from "./council/minutes/subject.ts";
import type { MemberRuntime } from "./turn/member-runtime.ts";
import type { Turn } from "./turn/turn.ts";
import type { Requests } from "./approvals/requests.ts";

export interface SessionState {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly approvals: Approvals;
  readonly requests: Requests;
  /** By member; at most one turn each. */
  readonly turns: Map<string, RunningTurn>;
  readonly retries: Map<string, TurnRequest>;
  readonly exchanges: ExchangeState;
  /** By turnId: turns that write minutes, and their subject. */
  readonly minutes: Map<string, MinutesSubject>;
  readonly touches: FileTouches;
  /** By member: compactions between turns. */
  readonly compactions: Map<string, RunningCompaction>;
  /** Members whose agent's context differs from the log; their next turn sends it again. */
  readonly staleContexts: Set<string>;
  /**
   * Members that start nothing on their own: interrupted, or just reopened. A message that addresses them lifts it.
   */
  readonly held: Set<string>;
  /** Members already reported as having unknown cost. */
  readonly unpriced: Set<string>;
  readonly whyNotWritable: WhyNotWritable | undefined;
  /** The member's runtime, created on demand. */
  runtimeOf(member: string): MemberRuntime;
  removeRuntime(member: string): Promise<void>;
  allRuntimes(): readonly MemberRuntime[];
  capabilitiesOf(spec: MemberSpec): MemberState["capabilities"];
  /** End of the log when this session was opened, until it continues; undefined for a new one. */
  reopened: Reopened | undefined;
  /** Starts what can start now. */
  schedule(): void;
  isClosed: boolean;
}

export interface RunningTurn {
  readonly turn: Turn;
  readonly cancelTimeout: () => void;
  /** Pauses the turn's timeout until the returned function is called. */
  readonly pauseTimeout: () => () => void;
  /** True once the agent has the turn. */
  isSent: boolean;
  /** The steered message that the agent has not confirmed yet. */
  steering: string | undefined;
  /** Messages to steer into this turn, oldest first. */
  readonly toSteer: string[];
}

export interface TurnRequest {
  readonly member: string;
  readonly messages: readonly Message[];
  readonly rootMessageId: string;
  readonly round?: number | undefined;
  readonly cause: DraftOf<"turn_start">["cause"];
  readonly replaces?: string;
  /** Parent turn, its tool call, and the exchange it is about. */
  readonly parentTurnId?: string;
  readonly toolCallId?: string;
  readonly agentExchangeId?: string;
  readonly depth?: number;
  /** The client behind the turn, where its root message may be gone already. */
  readonly clientId?: string | undefined;
  /** Prompt instead of user messages, and its author. */
  readonly text?: string;
  readonly from?: NonNullable<TurnInput["from"]>;
  /** Context instead of missed messages. */
  readonly missed?: readonly MissedMessage[];
  readonly missedCut?: number;
}

/** A compaction between turns. */
export interface RunningCompaction {
  readonly clientId: string;
  readonly focus: string | undefined;
  /** Resolves when it is over, for any reason. */
  readonly done: Promise<void>;
  readonly isOver: boolean;
  /** Ends it; records the reason when given. */
  end(reason?: string): void;
}

export interface Reopened {
  readonly afterSeq: number;
  readonly afterTs: number;
}

export function settingsOf(state: SessionState): Settings {
  const { settings, sessionId } = state.ledger.transcript.head;
  if (settings === undefined) {
    throw new RoundtableError("internal", `Session ${sessionId} has no settings: its log has no session_created.`);
  }
  return settings;
}

export function memberOf(state: SessionState, name: string): MemberState | undefined {
  const { members } = state.ledger.transcript.head;
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

/** Present and former members. */
export function allMemberNames(state: SessionState): string[] {
  return Object.keys(state.ledger.transcript.head.members);
}

/** Joined members by `settings.order`, then by time of joining. */
export function joinedMembers(state: SessionState): MemberState[] {
  const order = settingsOf(state).order;
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return Object.values(state.ledger.transcript.head.members)
    .filter((member) => member.seated)
    .sort((a, b) => rank(a.name) - rank(b.name));
}

export function noSuchMember(state: SessionState, name: string): RoundtableError {
  return unknownMember(
    name,
    joinedMembers(state).map((member) => member.name),
  );
}

/** Turns one after another, from the opening round on. */
export function isSequential(state: SessionState): boolean {
  return settingsOf(state).mode === "sequential";
}

export function isAvailable(state: SessionState, name: string): boolean {
  const member = memberOf(state, name);
  return member !== undefined && member.seated && !member.muted;
}
