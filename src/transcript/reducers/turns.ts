/**
 * Lifecycle of a turn: opened by `turn_start`, its content in `head.openTurns`, moved to its page by `turn_end`. A
 * `turn_end` without an open turn becomes a notice; its usage is still counted.
 */

import type { EventOf } from "../../protocol/index.ts";
import { joinRound, leaveRound } from "./council.ts";
import { beginAnswer } from "./exchanges.ts";
import { settleActivity } from "./members.ts";
import type { Head, Transcript } from "../model.ts";
import type { Block, Message, TurnMessage } from "../messages.ts";
import { addNotice } from "./notices.ts";
import { openTurn } from "./open-turns.ts";
import { appendMessage, findLive, freezePages, replaceMessage, withHead } from "../pages.ts";
import { omit, own, plain, present } from "../record.ts";
import { countTurn, spendEnd, spendStart } from "./usage.ts";

export function startTurn(transcript: Transcript, event: EventOf<"turn_start">): Transcript {
  if (openTurn(transcript, event.turnId) !== undefined) return addNotice(transcript, event);
  const replaced = event.replaces === undefined ? undefined : findEnded(transcript, event.replaces);
  const turn = newTurn(event, replaced, transcript.head);
  const placeholder: Message = { kind: "open-turn", turnId: turn.turnId };
  const placed =
    replaced === undefined
      ? appendMessage(transcript, placeholder)
      : replaceMessage(transcript, replaced.position, placeholder);
  const head: Head = {
    ...placed.head,
    turnCount: placed.head.turnCount + 1,
    openTurns: { ...placed.head.openTurns, [turn.turnId]: turn },
  };
  const joined = joinRound(spendStart(markSeen(head, event), event), turn);
  const started = withHead(placed, settleActivity(joined, turn.member));
  return beginAnswer(started, event);
}

/** A retry takes the position of the turn it replaces while that can change; on a frozen page it is appended. */
function newTurn(event: EventOf<"turn_start">, replaced: TurnMessage | undefined, head: Head): TurnMessage {
  const { origin, rootMessageId, round, parentTurnId, toolCallId, agentExchangeId, model } = event;
  const effort = isOfMember(event) ? own(head.members, event.member)?.effort : undefined;
  return {
    kind: "turn",
    position: replaced?.position ?? head.messageCount,
    seq: event.seq,
    ts: event.ts,
    turnId: event.turnId,
    member: event.member,
    cause: event.cause,
    messageIds: event.messageIds,
    ...present({ origin, rootMessageId, round, parentTurnId, toolCallId, agentExchangeId, model, effort }),
    depth: event.depth,
    replaced: [...(replaced?.replaced ?? []), ...(event.replaces === undefined ? [] : [event.replaces])],
    ...(replaced === undefined ? {} : { firstSeq: replaced.firstSeq ?? replaced.seq, ...earlierAnswers(replaced) }),
    blocks: [],
    isThinking: false,
  };
}

function earlierAnswers(replaced: TurnMessage): { earlier?: readonly TurnMessage[] } {
  const { earlier = [], ...own } = replaced;
  const answers = replaced.end?.outcome === "completed" ? [own, ...earlier] : earlier;
  return answers.length === 0 ? {} : { earlier: answers };
}

function findEnded(transcript: Transcript, turnId: string): TurnMessage | undefined {
  return findLive(
    transcript,
    (message): message is TurnMessage => message.kind === "turn" && message.turnId === turnId,
  );
}

/** A subagent's turn has its sender's name; a member that answers another one reads and thinks for itself. */
function isOfMember({ depth, cause }: EventOf<"turn_start">): boolean {
  return depth === 0 || cause === "exchange";
}

function markSeen(head: Head, event: EventOf<"turn_start">): Head {
  const member = own(head.members, event.member);
  if (event.given === undefined || member === undefined || !isOfMember(event)) return head;
  const seenSeq = Math.max(member.seenSeq, event.given.toSeq);
  return { ...head, members: { ...head.members, [event.member]: { ...member, seenSeq } } };
}

export function setStatus(turn: TurnMessage, event: EventOf<"status">): TurnMessage {
  const status = { state: event.state, ...present({ detail: event.detail }) };
  return { ...turn, status, isThinking: event.state === "thinking" };
}

export function setRetrying(turn: TurnMessage, event: EventOf<"retrying">): TurnMessage {
  const { attempt, of, delayMs, reason } = event;
  return { ...turn, retrying: { attempt, of, delayMs, reason } };
}

/** Replaces the previous value; usage events are never added up. */
export function setUsage(turn: TurnMessage, event: EventOf<"usage">): TurnMessage {
  return { ...turn, usage: plain(event.usage) };
}

export function endTurn(transcript: Transcript, event: EventOf<"turn_end">): Transcript {
  const turn = openTurn(transcript, event.turnId);
  const counted = withHead(transcript, countTurn(transcript.head, event));
  if (turn === undefined) return addNotice(counted, event);
  const placed = replaceMessage(counted, turn.position, endedTurn(turn, event));
  const closed: Head = { ...placed.head, openTurns: omit(placed.head.openTurns, turn.turnId) };
  const settled = spendEnd(markOutcome(settleActivity(closed, turn.member), turn, event), turn, event);
  const head = leaveRound(settled, turn, event);
  return freezePages(withHead(placed, stopWorking(head)));
}

function endedTurn(turn: TurnMessage, event: EventOf<"turn_end">): TurnMessage {
  const { seq, ts, outcome, reason, error, durationMs, usage } = event;
  return {
    ...omit(turn, "status", "retrying"),
    isThinking: false,
    blocks: turn.blocks.map((block) => closedBlock(block, event)),
    ...present({ usage }),
    end: { seq, ts, outcome, ...present({ reason, error }), durationMs },
  };
}

/** Closes blocks that are still open, because damage may have lost their end. */
function closedBlock(block: Block, event: EventOf<"turn_end">): Block {
  if (block.kind === "tool" && block.state === "pending") return { ...block, state: "interrupted" };
  if (block.kind === "thinking" && !block.done) return { ...block, done: true };
  if (block.kind === "text" && !block.done) {
    return { ...block, done: true, interrupted: event.outcome !== "completed" };
  }
  return block;
}

function markOutcome(head: Head, turn: TurnMessage, event: EventOf<"turn_end">): Head {
  const member = own(head.members, turn.member);
  if (member === undefined || turn.depth > 0) return head;
  return { ...head, members: { ...head.members, [turn.member]: { ...member, lastOutcome: event.outcome } } };
}

/** An agent that died cannot clear its working message, so the last turn to end does. */
function stopWorking(head: Head): Head {
  if (head.ui.working === undefined || Object.keys(head.openTurns).length > 0) return head;
  return { ...head, ui: omit(head.ui, "working") };
}

/** Marks how far the turn had been read aloud when it was stopped. */
export function markReadAloud(transcript: Transcript, event: EventOf<"output_cancelled">): Transcript {
  const { audioTruncatedAtMs, turnIds } = event;
  const turnId = event.audioTurnId ?? (turnIds.length === 1 ? turnIds[0] : undefined);
  if (audioTruncatedAtMs === undefined || turnId === undefined || !turnIds.includes(turnId)) return transcript;
  const isIt = (message: Message): message is TurnMessage => message.kind === "turn" && message.turnId === turnId;
  const turn = findLive(transcript, isIt);
  if (turn?.end === undefined) return transcript;
  return replaceMessage(transcript, turn.position, { ...turn, end: { ...turn.end, audioTruncatedAtMs } });
}
