/** Totals: usage reported at the end of turns, and of compactions between turns. */

import type { EventOf, Usage, AgentKind } from "../../protocol/index.ts";
import type { Head, Totals, Spent } from "../model.ts";
import type { TurnMessage } from "../messages.ts";
import { own } from "../record.ts";
import { NOTHING_SPENT } from "../empty.ts";

/** Copied and imported turns were paid for elsewhere and are not counted. */
export function countTurn(head: Head, event: EventOf<"turn_end">): Head {
  if (event.copied === true) return head;
  const totals = add(head.totals, event.usage);
  const member = own(head.members, event.member);
  if (member === undefined) return { ...head, totals };
  const counted = { ...member, totals: add(member.totals, event.usage) };
  return { ...head, totals, members: { ...head.members, [event.member]: counted } };
}

/** A compaction inside a turn is part of that turn's usage. */
export function countCompaction(head: Head, { member: name, usage, turnId }: EventOf<"compaction">): Head {
  if (usage === undefined || turnId !== undefined) return head;
  const totals = add(head.totals, usage, 0);
  const member = own(head.members, name);
  if (member === undefined) return { ...head, totals };
  const counted = { ...member, totals: add(member.totals, usage, 0) };
  return { ...head, totals, members: { ...head.members, [name]: counted } };
}

function add(totals: Totals, usage: Usage | undefined, turns = 1): Totals {
  return {
    turns: totals.turns + turns,
    inputTokens: totals.inputTokens + (usage?.inputTokens ?? 0),
    outputTokens: totals.outputTokens + (usage?.outputTokens ?? 0),
    cacheReadTokens: totals.cacheReadTokens + (usage?.cacheReadTokens ?? 0),
    cacheWriteTokens: totals.cacheWriteTokens + (usage?.cacheWriteTokens ?? 0),
    reasoningTokens: totals.reasoningTokens + (usage?.reasoningTokens ?? 0),
    costUsd: addCost(totals, usage?.costUsd),
  };
}

/** Unknown costs do not count as zero: null until a turn reports a cost. */
function addCost({ turns, costUsd }: Totals, reported: number | undefined): number | null {
  if (reported !== undefined) return (costUsd ?? 0) + reported;
  return turns === 0 ? null : costUsd;
}

/**
 * Cost of turns, per message and per session. Time is counted by the log's timestamps while at least one turn runs; a
 * period that was cut by a restart is not counted, because its length is unknown.
 */
const RESTART = "restart";

/** Copied and imported turns were paid for elsewhere. */
export function spendStart(head: Head, event: EventOf<"turn_start">): Head {
  if (event.copiedFrom !== undefined || event.cause === "imported") return head;
  const { message, session } = head.spent;
  const isOfMessage = isOfDiscussion(head, event.rootMessageId);
  return {
    ...head,
    spent: { message: isOfMessage ? opened(message, event) : message, session: opened(session, event) },
  };
}

export function spendEnd(head: Head, turn: TurnMessage, event: EventOf<"turn_end">): Head {
  if (event.copied === true || turn.cause === "imported") return head;
  const { message, session } = head.spent;
  const isOfMessage = isOfDiscussion(head, turn.rootMessageId);
  const tokens = tokensOf(event);
  return {
    ...head,
    spent: {
      message: isOfMessage ? closed(message, event, tokens) : message,
      session: closed(session, event, tokens),
    },
  };
}

/** Every message to all has its own account. */
export function resetMessageSpent(head: Head): Head["spent"] {
  return { message: NOTHING_SPENT, session: head.spent.session };
}

function isOfDiscussion({ round }: Head, rootMessageId: string | undefined): boolean {
  return round !== undefined && round.rootMessageId === rootMessageId;
}

function opened(spent: Spent, { cause, ts }: EventOf<"turn_start">): Spent {
  return {
    ...spent,
    turns: spent.turns + (cause === "subagent" ? 0 : 1),
    open: spent.open + 1,
    openSinceTs: spent.openSinceTs ?? ts,
  };
}

function tokensOf({ usage }: EventOf<"turn_end">): number {
  return (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
}

function closed(spent: Spent, { ts, reason, usage }: EventOf<"turn_end">, used: number): Spent {
  const { openSinceTs, ...rest } = spent;
  const open = Math.max(0, spent.open - 1);
  const tokens = spent.tokens + used;
  const usd = spent.usd + (usage?.costUsd ?? 0);
  if (reason === RESTART) return { ...rest, open, tokens, usd, ...(open === 0 ? {} : { openSinceTs: ts }) };
  if (open > 0 && openSinceTs !== undefined) return { ...rest, open, tokens, usd, openSinceTs };
  const ranMs = openSinceTs === undefined ? 0 : Math.max(0, ts - openSinceTs);
  return { ...rest, open, tokens, usd, activeMs: spent.activeMs + ranMs };
}

/** Agents count `inputTokens` differently: some include cached input and report it separately, others exclude it. */
/** Kinds that count like the servers of OpenAI's API. */
const COUNTING_CACHED: ReadonlySet<AgentKind | undefined> = new Set<AgentKind>(["codex", "openai"]);

/** The event with its input counted without cached tokens. */
export function normalizeUsage<Event extends EventOf<"usage" | "turn_end" | "compaction">>(
  head: Head,
  event: Event,
): Event {
  const { usage, member } = event;
  if (usage === undefined) return event;
  const inputTokens = uncachedInput(usage, own(head.members, member)?.spec.kind);
  return inputTokens === usage.inputTokens ? event : { ...event, usage: { ...usage, inputTokens } };
}

/** Input without cached tokens, for every kind of agent. */
export function uncachedInput(usage: Usage | undefined, kind: AgentKind | undefined): number {
  const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  return COUNTING_CACHED.has(kind) ? Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens) : inputTokens;
}
