/**
 * The next step of a discussion: a pure decision from the head, so that a reopened session continues where the log
 * ended. After the opening round one member speaks at a time, each once per round, in session order; a mention moves a
 * member ahead within the round and never adds a turn.
 */
import type { DraftOf } from "../../protocol/index.ts";
import {
  membersInOrder,
  waitingInRound,
  type CapMeter,
  type Head,
  type RoundState,
  type TurnMessage,
} from "../../transcript/index.ts";
import { startTurn } from "../turn/run-turn.ts";
import { pausedByLimit, reachedLimit } from "./reached-limits.ts";
import { roundText } from "../context/system-prompt.ts";
import { isSequential, type RunningTurn, type SessionState } from "../state.ts";

type Why = DraftOf<"council_settled">["why"];

export type CouncilStep =
  /** Somebody still speaks, or there is nothing to do. */
  | { readonly kind: "wait" }
  | { readonly kind: "ask"; readonly member: string; readonly round: number }
  | { readonly kind: "settle"; readonly why: Why }
  | { readonly kind: "pause"; readonly meter: CapMeter };

const WAIT: CouncilStep = { kind: "wait" };

/** `isHeld` members start nothing on their own; they are skipped like muted ones. */
function nextStep(head: Head, isHeld: (name: string) => boolean): CouncilStep {
  const { round, council } = head;
  if (council.state !== "running" || round === undefined || round.of === 1) return WAIT;
  if (Object.values(round.results).includes("interrupted")) return { kind: "settle", why: "interrupted" };
  if (isSpeaking(head, round)) return WAIT;
  const next = waitingInRound(head, round).find((name) => !isHeld(name));
  // Members that the opening message is still pending for are asked by its delivery.
  if (next !== undefined) return round.number === 1 ? WAIT : askNext(head, next, round.number);
  const speakers = speakersOf(head).filter((name) => !isHeld(name));
  const why = endOf(head, round, speakers);
  return why === undefined ? askNext(head, speakers[0] ?? "", round.number + 1) : { kind: "settle", why };
}

function askNext(head: Head, member: string, round: number): CouncilStep {
  const isBusy = Object.values(head.openTurns).some((turn) => turn.member === member && isHere(turn));
  if (isBusy) return WAIT;
  const meter = reachedLimit(head);
  return meter === undefined ? { kind: "ask", member, round } : { kind: "pause", meter };
}

/** Why a complete round was the last one; undefined when another follows. */
function endOf(head: Head, round: RoundState, speakers: readonly string[]): Why | undefined {
  const results = Object.values(round.results);
  if (speakers.length === 0) return speakersOf(head).length === 0 ? "nobody_left" : "interrupted";
  if (round.isReopened !== true) {
    const answers = results.filter((result) => result !== "failed");
    if (results.length === 0) return "nobody_left";
    if (answers.length === 0) return "all_failed";
    if (answers.every((result) => result === "nothing")) return "agreed";
  }
  if (round.number >= round.of) return "cap";
  return speakers.length < 2 ? "nobody_left" : undefined;
}

/** Any turn that goes back to the discussion's message, questions between members included; not imported turns. */
function isSpeaking(head: Head, round: RoundState): boolean {
  if (round.running.length > 0) return true;
  return Object.values(head.openTurns).some((turn) => turn.rootMessageId === round.rootMessageId && isHere(turn));
}

/** A subagent speaks inside its parent's turn, an imported turn in another program. */
function isHere({ cause }: TurnMessage): boolean {
  return cause !== "subagent" && cause !== "imported";
}

function speakersOf(head: Head): string[] {
  return membersInOrder(head)
    .filter((member) => !member.muted)
    .map((member) => member.name);
}

/** Takes the next step, if any. Pending messages and the queue have gone before. */
export function stepCouncil(state: SessionState): void {
  if (state.retries.size > 0) return;
  const { head } = state.ledger.transcript;
  const step = nextStep(head, (name) => state.held.has(name));
  const rootMessageId = head.round?.rootMessageId;
  if (step.kind === "wait" || rootMessageId === undefined) return;
  if (step.kind === "settle") settleDiscussion(state, step.why);
  else if (step.kind === "pause") {
    const { limit, scope } = step.meter;
    const message = pausedByLimit(step.meter);
    state.ledger.append([{ type: "council_paused", why: "limit", limit, scope, message, rootMessageId }]);
  } else if (!isSequential(state) || state.turns.size === 0) {
    const { member, round } = step;
    const text = roundText(round, Math.max(round, head.round?.of ?? round));
    const clientId = state.ledger.memory.council.clientId;
    startTurn(state, {
      member,
      messages: [],
      rootMessageId,
      round,
      cause: "round",
      text,
      from: { kind: "table" },
      ...(clientId === undefined ? {} : { clientId }),
    });
  }
}

/** Records the end of the discussion, unless it was recorded before or only first answers were due. */
export function settleDiscussion(state: SessionState, why: Why): void {
  state.ledger.append(settledDrafts(state.ledger.transcript.head, why));
}

export function settledDrafts({ round, council }: Head, why: Why): DraftOf<"council_settled">[] {
  if (round === undefined || round.of === 1) return [];
  const isAlive = council.state === "running" || (council.state === "paused" && why === "superseded");
  if (!isAlive) return [];
  return [{ type: "council_settled", why, rootMessageId: round.rootMessageId, round: round.number }];
}

/** Whether one of these turns is part of the current discussion or goes back to its message. */
export function isOfDiscussion(state: SessionState, turns: readonly RunningTurn[]): boolean {
  const { round } = state.ledger.transcript.head;
  if (round === undefined) return false;
  return turns.some(({ turn: { identity } }) => {
    return identity.rootMessageId === round.rootMessageId || round.running.includes(identity.member);
  });
}
