/** Starts turns for questions and late answers once their member is free. User messages go first. */
import { startTurn } from "../../turn/run-turn.ts";
import { settle } from "./exchanges.ts";
import { limitRefusal } from "./refusal.ts";
import type { Exchange, LateAnswer, Origin } from "./state.ts";
import * as messages from "./messages.ts";
import { isAvailable, settingsOf, type SessionState, type TurnRequest } from "../../state.ts";

export function startExchanges(state: SessionState): void {
  for (const exchange of state.exchanges.open.values()) {
    if (exchange.answerTurnId !== undefined) continue;
    const isStopped = state.held.has(exchange.to) && !exchange.isOverHold;
    const refusal = isStopped ? messages.stoppedByUser(exchange.to) : undefined;
    if (refusal === undefined && !isFree(state, exchange.to, { isWaitedFor: exchange.wait })) continue;
    const why = refusal ?? limitRefusal(state);
    if (why === undefined) startQuestion(state, exchange);
    else settle(state, exchange, { ok: false, text: why });
  }
  for (const [member, late] of state.exchanges.late) {
    const first = late.find((one) => one.wakes);
    if (first === undefined || state.held.has(member) || !isAvailable(state, member)) continue;
    if (!isFree(state, member, { isWaitedFor: false }) || limitRefusal(state) !== undefined) continue;
    startCallback(state, member, first);
  }
}

/** Sequential mode: one at a time, unless a running turn waits for this one. */
function isFree(state: SessionState, member: string, { isWaitedFor }: { isWaitedFor: boolean }): boolean {
  if (state.turns.has(member)) return false;
  return isWaitedFor || settingsOf(state).mode !== "sequential" || state.turns.size === 0;
}

function startQuestion(state: SessionState, exchange: Exchange): void {
  const { asker, to, text } = exchange;
  const isHeld = state.held.has(to);
  const origin: Origin = { ...exchange.origin, depth: exchange.origin.depth + 1 };
  exchange.answerTurnId = startTurn(state, {
    ...requestOf(exchange, origin),
    member: to,
    text,
    from: { kind: "member", name: asker.identity.member },
  });
  state.exchanges.origins.set(exchange.answerTurnId, origin);
  // Other pending work is released only by the user.
  if (isHeld) state.held.add(to);
}

/** Continues after the asking turn, at its depth. All available answers are delivered together. */
function startCallback(state: SessionState, member: string, { exchange }: LateAnswer): void {
  const { origin } = exchange;
  const names = (state.exchanges.late.get(member) ?? []).map((one) => one.exchange.to);
  const turnId = startTurn(state, {
    ...requestOf(exchange, origin),
    member,
    text: messages.answersCame(names),
    from: { kind: "table" },
  });
  state.exchanges.origins.set(turnId, origin);
}

function requestOf({ agentExchangeId, asker, toolCallId }: Exchange, { rootMessageId, clientId, depth }: Origin) {
  return {
    messages: [],
    rootMessageId,
    clientId,
    cause: "exchange",
    parentTurnId: asker.identity.turnId,
    ...(toolCallId === undefined ? {} : { toolCallId }),
    agentExchangeId,
    depth,
  } satisfies Partial<TurnRequest>;
}
