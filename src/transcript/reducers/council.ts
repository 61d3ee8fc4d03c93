/**
 * Discussion of the latest message to all, and its current round. Rounds come from `turn_start.round`, never from text.
 * A discussion runs from its message until it is settled; while it is paused, and after an interrupt, only
 * `council_resumed` continues it.
 */
import type { EventOf, LimitScope } from "../../protocol/index.ts";
import { NOTHING_SPENT } from "../empty.ts";
import type { Head, RoundResult, RoundState, Transcript } from "../model.ts";
import type { TurnMessage } from "../messages.ts";
import { isNothingToAdd, mentionsIn } from "../selectors/nothing-to-add.ts";
import { addNotice } from "./notices.ts";
import { patchHead } from "../pages.ts";
import { omit, own } from "../record.ts";
import { turnText } from "../selectors/turn.ts";
import { resetMessageSpent } from "./usage.ts";

/** A message to all starts a discussion. With a single addressee, or without rounds, it has first answers only. */
export function openDiscussion(head: Head, event: EventOf<"user_message">): Head {
  if (!event.toAll || event.copiedFrom !== undefined) return head;
  const of = event.to.length > 1 ? 1 + (event.rounds ?? usualRounds(head, event.to)) : 1;
  const round = freshRound(event.messageId, 1, of);
  const raised = head.council.raised?.session;
  return {
    ...head,
    round,
    council: { state: "running", ...(raised === undefined ? {} : { raised: { message: {}, session: raised } }) },
    spent: resetMessageSpent(head),
  };
}

function usualRounds({ settings, members }: Head, to: readonly string[]): number {
  const hasModel = to.some((name) => own(members, name)?.spec.kind !== "embedded");
  return settings === undefined || (settings.rounds_need_model === true && !hasModel) ? 0 : settings.auto_rounds;
}

/** A turn of an earlier round is a retry or late, and does not move the round back. */
export function joinRound(head: Head, turn: TurnMessage): Head {
  const { round } = head;
  const { round: number, rootMessageId, member } = turn;
  if (round === undefined || number === undefined || rootMessageId !== round.rootMessageId) return head;
  if (turn.depth > 0 || turn.cause === "imported") return head;
  const council = canRevive(head)
    ? { ...omit(head.council, "why", "message"), state: "running" as const }
    : head.council;
  if (number < round.number) return { ...head, council };
  const same = round.number === number ? round : freshRound(rootMessageId, number, Math.max(round.of, number));
  return { ...head, council, round: speaking(same, member) };
}

/** A message steered into a running turn is answered by it, so that turn counts for the opening round. */
export function joinBySteering(head: Head, event: EventOf<"steering">): Head {
  const { round } = head;
  if (round === undefined || round.number !== 1 || event.messageId !== round.rootMessageId) return head;
  const turn = own(head.openTurns, event.turnId);
  return turn === undefined || isInside(turn) ? head : { ...head, round: speaking(round, turn.member) };
}

export function leaveRound(head: Head, turn: TurnMessage, event: EventOf<"turn_end">): Head {
  const { round } = head;
  if (round === undefined || isInside(turn) || turn.cause === "imported" || !isOfRound(round, turn)) return head;
  const result = resultOf(turn, event);
  // Thanks and agreement do not call anybody.
  const called = result === "spoke" ? mentionsIn(turnText(turn), otherMembers(head, turn.member)) : [];
  return {
    ...head,
    round: {
      ...round,
      running: without(round.running, turn.member),
      settled: [...without(round.settled, turn.member), turn.member],
      results: { ...round.results, [turn.member]: result },
      called: [...called, ...round.called.filter((name) => !called.includes(name))],
    },
  };
}

/** First answers without a discussion are over when every addressee has settled the message. */
export function closeFirstAnswers(head: Head, messageId: string): Head {
  const { round, council } = head;
  const isOver = round?.rootMessageId === messageId && round.of === 1 && round.running.length === 0;
  return isOver && council.state === "running" ? { ...head, council: { ...council, state: "idle" } } : head;
}

/** A member that was stopped before it took the message answers it when asked again; until then it does not run. */
export function stopFirstAnswers(transcript: Transcript): Transcript {
  const { round, council } = transcript.head;
  const isStopped = round?.of === 1 && round.running.length === 0 && council.state === "running";
  return isStopped ? patchHead(transcript, { council: { ...council, state: "idle" } }) : transcript;
}

export function settleCouncil(transcript: Transcript, event: EventOf<"council_settled">): Transcript {
  const { council } = transcript.head;
  const settled = { ...omit(council, "message"), state: "settled" as const, why: event.why };
  return addNotice(patchHead(transcript, { council: settled }), event);
}

export function pauseCouncil(transcript: Transcript, event: EventOf<"council_paused">): Transcript {
  const { why, message } = event;
  const paused = { ...transcript.head.council, state: "paused" as const, why, message };
  return addNotice(patchHead(transcript, { council: paused }), event);
}

export function resumeCouncil(transcript: Transcript, event: EventOf<"council_resumed">): Transcript {
  const { head } = transcript;
  const { raised: changes = [] } = event;
  const ofScope = (scope: LimitScope) => ({
    ...head.council.raised?.[scope],
    ...Object.fromEntries(changes.filter((one) => one.scope === scope).map(({ limit, to }) => [limit, to])),
  });
  const raised = { message: ofScope("message"), session: ofScope("session") };
  const hasRaised = head.council.raised !== undefined || changes.length > 0;
  const isSame = head.round !== undefined && head.round.rootMessageId === event.rootMessageId;
  const round = isSame && head.round !== undefined ? resumedRound(head, head.round, event) : undefined;
  const patch: Partial<Head> = {
    council: { state: round !== undefined && round.of > 1 ? "running" : "idle", ...(hasRaised ? { raised } : {}) },
    ...(round === undefined ? {} : { round }),
  };
  return addNotice(patchHead(transcript, patch), event);
}

/** A turn that was stopped earlier counts as failed from now on. */
function resumedRound({ council }: Head, round: RoundState, { rounds }: EventOf<"council_resumed">): RoundState {
  const results = Object.entries(round.results).map(([name, result]): [string, RoundResult] => [
    name,
    result === "interrupted" ? "failed" : result,
  ]);
  return {
    ...round,
    of: Math.max(round.number, rounds ?? round.of),
    results: Object.fromEntries(results),
    ...(council.state === "settled" ? { isReopened: true } : {}),
  };
}

/** New limits replace raised ones. */
export function forgetRaised(head: Head, event: EventOf<"settings_changed">): Head {
  return event.settings.limits === undefined ? head : { ...head, council: omit(head.council, "raised") };
}

export function forgetDiscussion(head: Head): Head {
  return {
    ...omit(head, "round"),
    council: { state: "idle" },
    spent: { message: NOTHING_SPENT, session: head.spent.session },
  };
}

function canRevive({ council }: Head): boolean {
  if (council.state === "paused") return false;
  return council.state !== "settled" || (council.why !== "interrupted" && council.why !== "superseded");
}

function freshRound(rootMessageId: string, number: number, of: number): RoundState {
  return { number, of, rootMessageId, running: [], settled: [], results: {}, called: [] };
}

function speaking(round: RoundState, member: string): RoundState {
  return {
    ...round,
    running: [...without(round.running, member), member],
    settled: without(round.settled, member),
    results: omit(round.results, member),
    called: without(round.called, member),
  };
}

/** A subagent is part of its sender's turn. A member that answers another one is not, at any depth. */
function isInside(turn: TurnMessage): boolean {
  return turn.depth > 0 && turn.cause !== "exchange";
}

function isOfRound(round: RoundState, turn: TurnMessage): boolean {
  if (turn.rootMessageId === round.rootMessageId && turn.round !== undefined) return turn.round === round.number;
  if (round.number !== 1) return false;
  return turn.blocks.some((block) => block.kind === "steering" && block.messageId === round.rootMessageId);
}

/** A turn that ended because its member or the program left has failed; nobody stopped it. */
function resultOf(turn: TurnMessage, { outcome, reason }: EventOf<"turn_end">): RoundResult {
  if (outcome === "interrupted") return reason === "member_left" || reason === "restart" ? "failed" : "interrupted";
  if (outcome !== "completed") return "failed";
  const text = turnText(turn);
  return text.trim() === "" || isNothingToAdd(text) ? "nothing" : "spoke";
}

function otherMembers(head: Head, name: string): string[] {
  const others = Object.values(head.members).filter((member) => member.seated && member.name !== name);
  return others.map((member) => member.name);
}

function without(names: readonly string[], name: string): readonly string[] {
  return names.filter((one) => one !== name);
}
