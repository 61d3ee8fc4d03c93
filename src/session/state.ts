/** What the parts of one session share: its log, its clock, who sits here and what runs. Decisions live in the parts. */
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
  /** By turnId: the turns that write minutes, and of what. */
  readonly minutes: Map<string, MinutesSubject>;
  readonly touches: FileTouches;
  /** By member: compactions between turns. */
  readonly compactions: Map<string, RunningCompaction>;
  /** Members whose agent remembers something else than the log has; the next turn brings it what the log has. */
  readonly staleContexts: Set<string>;
  /**
   * Members for whom nothing starts by itself: they were interrupted, or the session was just opened.
   * A message that addresses them lifts it.
   */
  readonly held: Set<string>;
  /** Members of whom it was said that nobody knows their cost. */
  readonly unpriced: Set<string>;
  readonly whyNotWritable: WhyNotWritable | undefined;
  /** The seat of a member, made when first asked for. */
  runtimeOf(member: string): MemberRuntime;
  removeRuntime(member: string): Promise<void>;
  allRuntimes(): readonly MemberRuntime[];
  capabilitiesOf(spec: MemberSpec): MemberState["capabilities"];
  /** Where the log ended when this session was opened, until it goes on; undefined for a new one. */
  reopened: Reopened | undefined;
  /** Starts what can start now. */
  schedule(): void;
  isClosed: boolean;
}

export interface RunningTurn {
  readonly turn: Turn;
  readonly cancelTimeout: () => void;
  /** Lets the turn's clock stand still until the returned function is called. */
  readonly pauseTimeout: () => () => void;
  /** True once the agent has been handed the turn. */
  isSent: boolean;
  /** The message the agent has been asked to take into this turn and has not confirmed. */
  steering: string | undefined;
  /** Messages that are to be steered into this turn, oldest first. */
  readonly toSteer: string[];
}

export interface TurnRequest {
  readonly member: string;
  readonly messages: readonly Message[];
  readonly rootMessageId: string;
  readonly round?: number | undefined;
  readonly cause: DraftOf<"turn_start">["cause"];
  readonly replaces?: string;
  /** The turn and the call this one comes of, and the exchange it is about. */
  readonly parentTurnId?: string;
  readonly toolCallId?: string;
  readonly agentExchangeId?: string;
  readonly depth?: number;
  /** Whom the turn goes back to, where its root message may be forgotten already. */
  readonly clientId?: string | undefined;
  /** What is asked instead of messages of the user, and who asks it. */
  readonly text?: string;
  readonly from?: NonNullable<TurnInput["from"]>;
  /** What the member is told of instead of what it has missed. */
  readonly missed?: readonly MissedMessage[];
  readonly missedCut?: number;
}

/** One that runs between turns. */
export interface RunningCompaction {
  readonly clientId: string;
  readonly focus: string | undefined;
  /** Resolves when it is over, however. */
  readonly done: Promise<void>;
  readonly isOver: boolean;
  /** Ends it; says why when a reason is given. */
  end(reason?: string): void;
}

/** Where the log ended when the session was opened. */
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

/** Whoever sits here or ever did. */
export function allMemberNames(state: SessionState): string[] {
  return Object.keys(state.ledger.transcript.head.members);
}

/** Seated members by `settings.order`, then by when they sat down. */
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

/** One after another, from the opening round on. */
export function isSequential(state: SessionState): boolean {
  return settingsOf(state).mode === "sequential";
}

export function isAvailable(state: SessionState, name: string): boolean {
  const member = memberOf(state, name);
  return member !== undefined && member.seated && !member.muted;
}
