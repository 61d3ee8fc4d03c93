/** What is said at the end of a copy, so that nothing in it seems to go on: what was open in the original is closed here. */
import type { EventDraft } from "../../protocol/index.ts";
import type { Transcript } from "../../transcript/index.ts";
import { closingDrafts } from "../recovery/recover.ts";

/** Why a turn ended, a message was not answered: the session was copied while it was under way. */
const FORKED = "forked";
const TOOL_MESSAGE = "The session was copied before the tool had a result.";

export interface OpenExchange {
  readonly agentExchangeId: string;
  readonly to: string;
}

export function closeAtFork({ head }: Transcript, exchanges: Iterable<OpenExchange>, now: number): EventDraft[] {
  const drafts: EventDraft[] = head.requests.map(({ requestId, member, turnId }) => {
    const stamp = { member, ...(turnId === undefined ? {} : { turnId }) };
    return { type: "ui_cancelled", requestId, ...stamp, reason: "cancelled" };
  });
  for (const { agentExchangeId, to } of exchanges) {
    const text = `The session was copied before ${to} had answered.`;
    drafts.push({ type: "agent_callback_result", agentExchangeId, member: to, ok: false, text });
  }
  // The deepest first: what a subagent came to is told in the turn that sent it, which must still be open.
  for (const turn of Object.values(head.openTurns).sort((one, other) => other.depth - one.depth)) {
    drafts.push(...turn.blocks.flatMap((block) => closingDrafts(turn, block, TOOL_MESSAGE)), {
      type: "turn_end",
      turnId: turn.turnId,
      member: turn.member,
      outcome: "interrupted",
      reason: FORKED,
      ...(turn.usage === undefined ? {} : { usage: turn.usage }),
      durationMs: Math.max(0, now - turn.ts),
      copied: true,
    });
  }
  for (const [messageId, members] of Object.entries(head.deliveries)) {
    for (const [member, { state }] of Object.entries(members)) {
      if (state === "answered" || state === "dropped") continue;
      drafts.push({ type: "message_delivery", messageId, member, state: "dropped", reason: FORKED });
    }
  }
  return drafts;
}
