/** Totals: the sum of what turns reported when they ended, and what was summed up between turns has cost. */
import type { EventOf, Usage } from "../../protocol/index.ts";
import type { Head, Totals } from "../model.ts";
import { own } from "../record.ts";

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
