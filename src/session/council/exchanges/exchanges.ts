/**
 * Questions between members: one asks, another answers in a turn of its own. Guarantees: every question is settled
 * exactly once, within EXCHANGE_MS_MAX and also when a member stops, leaves or fails; no cyclic waits; an exchange
 * belongs to the user's message that it follows from, and ends with it.
 */
import { turnById, turnText } from "../../../transcript/index.ts";
import type { AnswerResult, MissedMessage } from "../../../agents/index.ts";
import { newId } from "../../../kit/ids.ts";
import { beginningOf, fitsEncoded } from "../../../kit/text/encoded-size.ts";
import { refusalOf } from "./refusal.ts";
import type { Exchange, Origin } from "./state.ts";
import { isOnlyThanks } from "./thanks.ts";
import * as messages from "./messages.ts";
import { fitEvent } from "../../fit-event.ts";
import { EXCHANGE_ANSWER_BYTES_MAX, EXCHANGE_MS_MAX, LATE_ANSWERS_MAX } from "../../limits.ts";
import { settingsOf, type RunningTurn, type SessionState } from "../../state.ts";
import type { Turn, TurnEndFacts } from "../../turn/turn.ts";

export interface MessageArgs {
  readonly to: string;
  readonly text: string;
  readonly wait?: boolean | undefined;
}

/** Starts the exchange, or tells the model why not. Answers the tool call at once, or when the answer arrives. */
export function askMember(
  state: SessionState,
  asker: Turn,
  { to, text, wait = true }: MessageArgs,
  callId: string,
): void {
  const { member, turnId } = asker.identity;
  const origin = originOf(state, asker);
  const refusal = refusalOf(state, { from: member, turnId, to, text, wait, origin });
  if (refusal !== undefined) {
    state.runtimeOf(member).answer(callId, { result: null, error: refusal });
    return;
  }
  const agentExchangeId = newId();
  const toolCallId = callOf(state, turnId, { to, text });
  const release = setLimits(state, asker, { agentExchangeId, wait });
  const exchange: Exchange = {
    agentExchangeId,
    asker,
    to,
    text,
    wait,
    callId,
    toolCallId,
    origin,
    isOverHold: state.held.has(to),
    answerTurnId: undefined,
    release,
  };
  state.exchanges.open.set(agentExchangeId, exchange);
  state.ledger.append([
    {
      type: "agent_message",
      turnId,
      agentExchangeId,
      member,
      to,
      text,
      wait,
      ...(toolCallId === undefined ? {} : { toolCallId }),
    },
  ]);
  if (isOnlyThanks(text, [member, to])) {
    settle(state, exchange, { ok: true, text: "", reply: messages.thanksNoted });
    return;
  }
  if (!wait)
    answerCall(state, exchange, {
      result: { asked: to, agentExchangeId, note: messages.willAnswerLater(to) },
      error: null,
    });
  state.schedule();
}

/** Call before the turn is settled: its questions end with it, unless it did not wait for the answer. */
export function leaveExchanges(state: SessionState, turn: Turn, { outcome }: TurnEndFacts): void {
  const { member } = turn.identity;
  const isDone = outcome === "completed";
  for (const exchange of openOf(state, (one) => one.asker === turn && (one.wait || !isDone))) {
    const why = isDone ? messages.askerGone(member) : messages.askerStopped(member);
    settle(state, exchange, { ok: false, text: why });
  }
}

/** Call after the turn is settled: its text is the answer. */
export function answerExchange(state: SessionState, turn: Turn, end: TurnEndFacts): void {
  const { turnId, member } = turn.identity;
  state.exchanges.origins.delete(turnId);
  for (const exchange of openOf(state, (one) => one.answerTurnId === turnId)) {
    const failure = messages.failureOf(member, end);
    if (failure !== undefined) {
      settle(state, exchange, { ok: false, text: failure, wakes: end.outcome !== "interrupted" });
      continue;
    }
    const message = turnById(state.ledger.transcript, turnId);
    const text = message === undefined ? "" : turnText(message).trim();
    const answer = text === "" ? messages.emptyAnswer(member) : shortened(text);
    settle(state, exchange, {
      ok: true,
      text: answer,
      wakes: text !== "" && !isOnlyThanks(text, [member, exchange.asker.identity.member]),
    });
  }
  // A stopped member starts nothing, so questions that wait for it would wait forever.
  if (end.outcome !== "interrupted") return;
  for (const exchange of openOf(state, (one) => one.to === member && one.answerTurnId === undefined)) {
    settle(state, exchange, { ok: false, text: messages.failureOf(member, end) ?? messages.wasStopped(member) });
  }
}

/** A member that can no longer be asked gets no questions, and answers do not start its turns. */
export function dropExchanges(state: SessionState, member: string, reason: string): void {
  for (const exchange of openOf(state, (one) => one.to === member && one.answerTurnId === undefined)) {
    const text =
      reason === "muted"
        ? messages.isMuted(member)
        : reason === "cleared"
          ? messages.cleared
          : messages.hasLeft(member);
    settle(state, exchange, { ok: false, text });
  }
  if (reason === "muted") cancelWakeups(state, (one) => one.asker.identity.member === member);
  else state.exchanges.late.delete(member);
}

/** Exchanges that an interrupt stops. */
export type StopScope =
  | { readonly scope: "all" }
  | { readonly scope: "own"; readonly clientId: string }
  | { readonly scope: "member"; readonly member: string };

/**
 * Withdraws questions that have not started; running ones are stopped by ending their turn. Later answers start no
 * turn.
 */
export function stopExchanges(state: SessionState, stop: StopScope): void {
  const isMeant = (one: Exchange): boolean => {
    if (stop.scope === "all") return true;
    if (stop.scope === "own") return one.origin.clientId === stop.clientId;
    return one.to === stop.member || one.asker.identity.member === stop.member;
  };
  for (const exchange of openOf(state, (one) => one.answerTurnId === undefined && isMeant(one))) {
    settle(state, exchange, { ok: false, text: messages.wasStopped(exchange.to) });
  }
  cancelWakeups(state, isMeant);
}

/** These turns and, transitively, those that answer them: all are stopped together. */
export function withAnswering(state: SessionState, turns: readonly RunningTurn[]): RunningTurn[] {
  const all = new Set(turns);
  for (const running of all) {
    for (const exchange of openOf(state, (one) => one.asker === running.turn)) {
      const answering = state.turns.get(exchange.to);
      if (answering?.turn.identity.turnId === exchange.answerTurnId && answering !== undefined) all.add(answering);
    }
  }
  return [...all];
}

/** Answers that a member did not wait for, delivered once, with its next turn. */
export function consumeAnswers(state: SessionState, member: string): MissedMessage[] {
  const late = state.exchanges.late.get(member) ?? [];
  state.exchanges.late.delete(member);
  return late.map((one) => one.answer);
}

interface Settled {
  readonly ok: boolean;
  readonly text: string;
  /** Reply to the caller's model, if it differs from the text. */
  readonly reply?: string;
  /** Whether the answer starts a turn of a member that did not wait. */
  readonly wakes?: boolean;
}

export function settle(
  state: SessionState,
  exchange: Exchange,
  { ok, text, reply = text, wakes = false }: Settled,
): void {
  const { agentExchangeId, to, wait } = exchange;
  if (!state.exchanges.open.delete(agentExchangeId)) return;
  exchange.release();
  state.ledger.append([fitEvent({ type: "agent_callback_result", agentExchangeId, member: to, ok, text })]);
  if (wait || text === "") {
    answerCall(
      state,
      exchange,
      ok ? { result: { from: to, answer: reply }, error: null } : { result: null, error: reply },
    );
    return;
  }
  queueAnswer(state, exchange, { answer: { speaker: { kind: "member", name: to }, text }, wakes });
}

function queueAnswer(
  state: SessionState,
  exchange: Exchange,
  { answer, wakes }: { answer: MissedMessage; wakes: boolean },
): void {
  const { member } = exchange.asker.identity;
  const late = state.exchanges.late.get(member) ?? [];
  late.push({ exchange, answer, wakes });
  state.exchanges.late.set(member, late);
  if (late.length <= LATE_ANSWERS_MAX) return;
  late.shift();
  const message = `More than ${LATE_ANSWERS_MAX} answers wait for ${member}; the oldest is left out of its next turn. It is in the log.`;
  state.ledger.append([{ type: "warning", member, code: "late_answer_dropped", message }]);
}

/** Durable first, because the agent may act on it at once. */
function answerCall(state: SessionState, { asker, callId }: Exchange, answer: AnswerResult): void {
  state.ledger.committed().then(
    () => {
      const isOver = asker.isSettled && answer.error === null;
      state.runtimeOf(asker.identity.member).answer(callId, isOver ? TURN_OVER : answer);
    },
    () => undefined, // The log was closed; so is the agent.
  );
}

const TURN_OVER: AnswerResult = { result: null, error: "The turn has ended." };

/** The asker's timeout is paused while it waits; the exchange has its own limit. */
function setLimits(
  state: SessionState,
  asker: Turn,
  { agentExchangeId, wait }: { agentExchangeId: string; wait: boolean },
): () => void {
  const running = state.turns.get(asker.identity.member);
  const resume = wait && running?.turn === asker ? running.pauseTimeout() : () => undefined;
  const limitMs = Math.min(2 * settingsOf(state).timeout * 1000, EXCHANGE_MS_MAX);
  const cancel = state.clock.after(limitMs, () => {
    const late = state.exchanges.open.get(agentExchangeId);
    if (late === undefined) return;
    settle(state, late, { ok: false, text: messages.tooLate(late.to, limitMs / 1000), wakes: true });
    state.schedule();
  });
  return () => {
    cancel();
    resume();
  };
}

function originOf(state: SessionState, turn: Turn): Origin {
  const { turnId, rootMessageId, clientId } = turn.identity;
  const inherited = state.exchanges.origins.get(turnId);
  if (inherited !== undefined) return inherited;
  const startSeq = state.ledger.transcript.head.openTurns[turnId]?.seq ?? state.ledger.seq;
  return { rootMessageId, clientId, depth: 0, startSeq };
}

/** The tool call in the log that asked: the one with this text, else the oldest that is not linked yet. */
function callOf(state: SessionState, turnId: string, { to, text }: MessageArgs): string | undefined {
  const calls = (state.ledger.transcript.head.openTurns[turnId]?.blocks ?? []).filter(
    (block) => block.kind === "tool" && block.state === "pending" && block.agentExchangeId === undefined,
  );
  const own = calls.filter((block) => block.kind === "tool" && /(^|[^a-z])agents_message$/.test(block.name));
  const exact = own.find((block) => {
    const args = block.kind === "tool" ? (block.args as { to?: unknown; text?: unknown } | null) : null;
    return typeof args === "object" && args?.to === to && args.text === text;
  });
  const call = exact ?? own[0];
  return call?.kind === "tool" ? call.toolCallId : undefined;
}

function openOf(state: SessionState, isMeant: (one: Exchange) => boolean): Exchange[] {
  return [...state.exchanges.open.values()].filter(isMeant);
}

function cancelWakeups(state: SessionState, isMeant: (one: Exchange) => boolean): void {
  for (const late of state.exchanges.late.values()) {
    for (const one of late) if (isMeant(one.exchange)) one.wakes = false;
  }
}

function shortened(text: string): string {
  if (fitsEncoded(text, EXCHANGE_ANSWER_BYTES_MAX)) return text;
  return `${beginningOf(text, EXCHANGE_ANSWER_BYTES_MAX)}\n[… truncated; the complete answer is in its turn]`;
}
