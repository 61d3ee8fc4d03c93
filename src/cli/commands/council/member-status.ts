/** Status of each member for the last message. Pure. */
import type { Outcome } from "../../../protocol/index.ts";
import {
  deliveriesOf,
  loadedMessagesBackward,
  membersInOrder,
  type MemberState,
  type ShownMessage,
  type Transcript,
  type TurnMessage,
  type UserMessage,
  belongsTo,
} from "../../../transcript/index.ts";

export interface MemberStatus {
  readonly member: string;
  readonly state:
    | "idle"
    | "muted"
    | "pending"
    | "running"
    | "responded"
    | "errored"
    | "timed_out"
    | "interrupted"
    | "dropped";
  readonly round: number | null;
  readonly duration_ms: number | null;
  /** Why it failed or was not asked. */
  readonly reason: string | null;
}

export interface CouncilStatus {
  readonly question: UserMessage | undefined;
  readonly members: readonly MemberStatus[];
}

export function councilStatus(transcript: Transcript, nowMs: number): CouncilStatus {
  const { question, turns } = lastQuestion(transcript);
  const members = membersInOrder(transcript.head)
    .filter((member) => member.seated)
    .map((member) => statusOf(transcript, member, { question, turns, nowMs }));
  return { question, members };
}

/** The newest user message and its turns. */
function lastQuestion(transcript: Transcript): { question: UserMessage | undefined; turns: TurnMessage[] } {
  const later: ShownMessage[] = [];
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind === "user") {
      return { question: message, turns: later.filter((one) => belongsTo(message, one)).toReversed() };
    }
    later.push(message);
  }
  return { question: undefined, turns: [] };
}

interface StatusContext {
  readonly question: UserMessage | undefined;
  readonly turns: readonly TurnMessage[];
  readonly nowMs: number;
}

function statusOf(
  transcript: Transcript,
  { name, muted }: MemberState,
  { question, turns, nowMs }: StatusContext,
): MemberStatus {
  const turn = turns.findLast((one) => one.member === name && one.depth === 0 && one.cause !== "minutes");
  const none = { member: name, round: null, duration_ms: null, reason: null };
  if (turn !== undefined) return ofTurn(turn, nowMs);
  const delivery = question === undefined ? undefined : deliveriesOf(transcript.head, question)[name];
  if (delivery?.state === "dropped") return { ...none, state: "dropped", reason: delivery.reason ?? null };
  if (delivery !== undefined && delivery.state !== "answered") {
    return { ...none, state: "pending", reason: delivery.reason ?? null };
  }
  return { ...none, state: muted ? "muted" : "idle" };
}

const STATES: Readonly<Record<Outcome, MemberStatus["state"]>> = {
  completed: "responded",
  interrupted: "interrupted",
  errored: "errored",
  timed_out: "timed_out",
};

function ofTurn(turn: TurnMessage, nowMs: number): MemberStatus {
  const { member, end } = turn;
  const round = turn.round ?? null;
  if (end === undefined) return { member, state: "running", round, duration_ms: nowMs - turn.ts, reason: null };
  const reason = end.outcome === "completed" ? null : (end.error?.message ?? end.reason ?? null);
  return { member, state: STATES[end.outcome], round, duration_ms: end.durationMs, reason };
}
