/** Lets questions and late answers begin a turn once their member is free. Users' messages have gone before. */
import { startTurn } from "./ask.ts";
import { settle } from "./exchanges.ts";
import { limitRefusal } from "./exchanges-refusal.ts";
import type { Exchange, LateAnswer, Origin } from "./exchanges-state.ts";
import * as messages from "./exchanges-words.ts";
import { canBeAsked, settingsOf, type Table } from "./table.ts";

export function startExchanges(table: Table): void {
  for (const exchange of table.exchanges.open.values()) {
    if (exchange.answerTurnId !== undefined) continue;
    const isStopped = table.held.has(exchange.to) && !exchange.isOverHold;
    const refusal = isStopped ? messages.stoppedByUser(exchange.to) : undefined;
    if (refusal === undefined && !isFree(table, exchange.to, { isWaitedFor: exchange.wait })) continue;
    const why = refusal ?? limitRefusal(table);
    if (why === undefined) startQuestion(table, exchange);
    else settle(table, exchange, { ok: false, text: why });
  }
  for (const [member, late] of table.exchanges.late) {
    const first = late.find((one) => one.wakes);
    if (first === undefined || table.held.has(member) || !canBeAsked(table, member)) continue;
    if (!isFree(table, member, { isWaitedFor: false }) || limitRefusal(table) !== undefined) continue;
    startCallback(table, member, first);
  }
}

/** One after another means: unless somebody who speaks waits for it. */
function isFree(table: Table, member: string, { isWaitedFor }: { isWaitedFor: boolean }): boolean {
  if (table.turns.has(member)) return false;
  return isWaitedFor || settingsOf(table).mode !== "sequential" || table.turns.size === 0;
}

function startQuestion(table: Table, exchange: Exchange): void {
  const { agentExchangeId, asker, to, text, toolCallId } = exchange;
  const isHeld = table.held.has(to);
  const origin: Origin = { ...exchange.origin, depth: exchange.origin.depth + 1 };
  exchange.answerTurnId = startTurn(table, {
    member: to,
    messages: [],
    rootMessageId: origin.rootMessageId,
    clientId: origin.clientId,
    cause: "exchange",
    parentTurnId: asker.identity.turnId,
    ...(toolCallId === undefined ? {} : { toolCallId }),
    agentExchangeId,
    depth: origin.depth,
    text,
    from: { kind: "member", name: asker.identity.member },
  });
  table.exchanges.origins.set(exchange.answerTurnId, origin);
  // Only the user lets go what else waits for it.
  if (isHeld) table.held.add(to);
}

/** Goes on where the asking turn had ended, as deep as that one. All answers that are there are told together. */
function startCallback(table: Table, member: string, { exchange }: LateAnswer): void {
  const { agentExchangeId, asker, origin, toolCallId } = exchange;
  const names = (table.exchanges.late.get(member) ?? []).map((one) => one.exchange.to);
  const turnId = startTurn(table, {
    member,
    messages: [],
    rootMessageId: origin.rootMessageId,
    clientId: origin.clientId,
    cause: "exchange",
    parentTurnId: asker.identity.turnId,
    ...(toolCallId === undefined ? {} : { toolCallId }),
    agentExchangeId,
    depth: origin.depth,
    text: messages.answersCame(names),
    from: { kind: "table" },
  });
  table.exchanges.origins.set(turnId, origin);
}
