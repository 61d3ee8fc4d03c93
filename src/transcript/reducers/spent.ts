/**
 * What turns have cost, for one message and for the session. Time is counted by the log's own stamps while at least
 * one turn runs; a stretch that a restart cut is not counted, because nobody knows how long it was.
 */
import type { EventOf } from "../../protocol/index.ts";
import { NOTHING_SPENT } from "../empty.ts";
import type { Head, Spent, TurnMessage } from "../model.ts";

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
