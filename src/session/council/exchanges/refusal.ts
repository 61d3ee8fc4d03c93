/** Why a member's question is rejected, as text for the model that asked; undefined when accepted. */

import { reachedLimit } from "../reached-limits.ts";
import type { Origin } from "./state.ts";
import * as messages from "./messages.ts";
import {
  EXCHANGE_DEPTH_MAX,
  EXCHANGE_TEXT_BYTES_MAX,
  EXCHANGES_PER_MESSAGE_MAX,
  EXCHANGES_PER_PAIR_MAX,
  EXCHANGES_PER_TURN_MAX,
  QUESTIONS_WAITING_MAX,
} from "../../limits.ts";
import { memberOf, joinedMembers, type SessionState } from "../../state.ts";

export interface Question {
  readonly from: string;
  readonly turnId: string;
  readonly to: string;
  readonly text: string;
  readonly wait: boolean;
  readonly origin: Origin;
}

export function refusalOf(state: SessionState, question: Question): string | undefined {
  return whoRefusal(state, question) ?? countRefusal(state, question) ?? waitRefusal(state, question);
}

function whoRefusal(state: SessionState, { from, to, text, origin }: Question): string | undefined {
  if (to === from) return messages.selfMessage;
  const member = memberOf(state, to);
  if (member?.seated !== true) {
    const others = joinedMembers(state).map((one) => one.name);
    return messages.noSuchMember(
      to,
      others.filter((name) => name !== from),
    );
  }
  if (member.muted) return messages.isMuted(to);
  // A member stopped after this began stays stopped; a later message may ask it again.
  const isStopped = state.held.has(to) && state.ledger.memory.exchanges.stoppedSeq(to) > origin.startSeq;
  if (isStopped) return messages.stoppedByUser(to);
  const bytes = Buffer.byteLength(text);
  return bytes > EXCHANGE_TEXT_BYTES_MAX ? messages.tooLong(bytes, EXCHANGE_TEXT_BYTES_MAX) : undefined;
}

function countRefusal(state: SessionState, { from, turnId, to, origin }: Question): string | undefined {
  const { exchanges } = state.ledger.memory;
  const limit = limitRefusal(state);
  if (limit !== undefined) return limit;
  if (origin.depth >= EXCHANGE_DEPTH_MAX) return messages.tooDeep(EXCHANGE_DEPTH_MAX);
  if (exchanges.questionsInTurn(turnId) >= EXCHANGES_PER_TURN_MAX)
    return messages.tooManyInTurn(EXCHANGES_PER_TURN_MAX);
  if (exchanges.countsOf(origin.rootMessageId).asked >= EXCHANGES_PER_MESSAGE_MAX) {
    return messages.tooManyForMessage(EXCHANGES_PER_MESSAGE_MAX);
  }
  if (exchanges.questionsBetween(from, to) >= EXCHANGES_PER_PAIR_MAX)
    return messages.tooManyBetween(to, EXCHANGES_PER_PAIR_MAX);
  return undefined;
}

/** Questions between members start automatically, so the limits of the discussion apply. */
export function limitRefusal(state: SessionState): string | undefined {
  const meter = reachedLimit(state.ledger.transcript.head);
  return meter === undefined ? undefined : messages.limitReached(meter);
}

function waitRefusal(state: SessionState, { from, to, wait }: Question): string | undefined {
  const open = [...state.exchanges.open.values()];
  const queued = open.filter((one) => one.to === to && one.answerTurnId === undefined);
  if (queued.length >= QUESTIONS_WAITING_MAX) return messages.tooManyWaiting(to, QUESTIONS_WAITING_MAX);
  if (!wait) return undefined;
  const waiting = open.filter((one) => one.wait).map((one) => ({ from: one.asker.identity.member, to: one.to }));
  const cycle = waitCycle(waiting, { from, to });
  return cycle === undefined ? undefined : messages.inCycle(cycle);
}

/** Wait-for edge between members. Without cycles, at least one member can always continue. */
interface Waiting {
  readonly from: string;
  readonly to: string;
}

/**
 * The members from `to` back to `from`, both included, when waiting would close a cycle; otherwise undefined. A member
 * runs one turn at a time, so waiting for it means waiting for whatever it waits for.
 */
export function waitCycle(waiting: readonly Waiting[], { from, to }: Waiting): readonly string[] | undefined {
  const seen = new Set<string>();
  const paths: (readonly string[])[] = [[to]];
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    const last = path.at(-1) ?? to;
    if (last === from) return path;
    if (seen.has(last)) continue;
    seen.add(last);
    for (const edge of waiting) if (edge.from === last) paths.push([...path, edge.to]);
  }
  return undefined;
}
