/** Totals: the sum of what turns reported when they ended, and what was summed up between turns has cost. */

import type { EventOf, Usage, AgentKind } from "../../protocol/index.ts";
import type { Head, Totals, Spent, TurnMessage } from "../model.ts";
import { own } from "../record.ts";
import { NOTHING_SPENT } from "../empty.ts";

/** Copied and imported turns were paid for elsewhere; they are shown but not totalled. */
export function countTurn(head: Head, event: EventOf<"turn_end">): Head {
  if (event.copied === true) return head;
  const totals = add(head.totals, event.usage);
  const member = own(head.members, event.member);
  if (member === undefined) return { ...head, totals };
  const counted = { ...member, totals: add(member.totals, event.usage) };
  return { ...head, totals, members: { ...head.members, [event.member]: counted } };
}

/** One in a turn is part of that turn's usage. */
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

/** Nothing has cost nothing; a turn that does not tell its cost is no turn for nothing. */
function addCost({ turns, costUsd }: Totals, reported: number | undefined): number | null {
  if (reported !== undefined) return (costUsd ?? 0) + reported;
  return turns === 0 ? null : costUsd;
}

/** * What turns have cost, for one message and for the session. Time is counted by the log's own stamps while at least
 * one turn runs; a stretch that a restart cut is not counted, because nobody knows how long it was.
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

/** Another message to all begins its own account. */
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

/** * `inputTokens` is what the agent itself counts, and they do not count alike: some count what a cache has answered as
 * input and tell how much that was, others tell it beside.
 */
/** Those that count like the servers of OpenAI's API. */
const COUNTING_CACHED: ReadonlySet<AgentKind | undefined> = new Set<AgentKind>(["codex", "openai"]);

/** The same event with its input counted as everybody's is: without what a cache has answered. */
export function normalizeUsage<Event extends EventOf<"usage" | "turn_end" | "compaction">>(
  head: Head,
  event: Event,
): Event {
  const { usage, member } = event;
  if (usage === undefined) return event;
  const inputTokens = uncachedInput(usage, own(head.members, member)?.spec.kind);
  return inputTokens === usage.inputTokens ? event : { ...event, usage: { ...usage, inputTokens } };
}

/** The input that no cache has answered, whoever has counted. */
export function uncachedInput(usage: Usage | undefined, kind: AgentKind | undefined): number {
  const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  return COUNTING_CACHED.has(kind) ? Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens) : inputTokens;
}
