/**
 * The beginning and the end of a turn, in the order in which assistant's server tells them. Every turn that has begun
 * ends with `turn_end`, also one that was cancelled, failed or lost.
 */
import type { EventOf } from "../../protocol/index.ts";
import type { Transcript, TurnMessage } from "../../transcript/index.ts";
import type { ChatPayloads } from "./chat-event.ts";
import { closeStretch } from "./close-stretch.ts";
import { answeredExchange } from "./map-exchange.ts";
import { idsOf, responseOf } from "./map-text.ts";
import { settleTools, unsettledTools } from "./map-tool.ts";
import { showMessage, type PendingMessage } from "./map-user.ts";
import { updatedFrame } from "./map-session.ts";
import type { Scribe } from "./scribe.ts";
import { ROUNDTABLE_AGENT } from "./session-summary.ts";
import { hasThinking, wholeText, wholeThinking } from "./spoken-text.ts";

type Trigger = ChatPayloads["turn_start"]["trigger"];

/** `messages` are those of the user that this turn is the first to take. */
export function mapTurnStart(
  scribe: Scribe,
  event: EventOf<"turn_start">,
  { after, messages }: { after: Transcript; messages: readonly PendingMessage[] },
): void {
  const { sessionId } = scribe;
  const { turnId, member } = event;
  const asked = answeredExchange(after, event);
  if (messages.length > 0) scribe.send(updatedFrame(sessionId, event.ts));
  for (const message of messages) showMessage(scribe, message);
  if (asked !== undefined) {
    const { asker: fromAgentId, text, agentExchangeId } = asked;
    const kind = { type: "user_message", agentMessageType: "agent_message" } as const;
    scribe.send({ ...kind, sessionId, text, fromAgentId, fromSessionId: sessionId, agentExchangeId });
  }
  scribe.chat("turn_start", { trigger: triggerOf(event, asked !== undefined) }, { turnId });
  for (const { text } of messages) scribe.chat("user_message", { text }, { turnId });
  if (asked !== undefined) {
    const from = { fromAgentId: asked.asker, fromSessionId: sessionId };
    scribe.chat("user_message", { text: asked.text, ...from }, { turnId });
  }
  // The name stands above the answer, not above what is answered.
  if (isNamed(after, event)) {
    scribe.chat("agent_switch", { fromAgentId: ROUNDTABLE_AGENT, toAgentId: member }, { turnId });
    scribe.chat("custom_message", { text: member, label: "member" }, { turnId });
  }
}

export function mapTurnEnd(
  scribe: Scribe,
  event: EventOf<"turn_end">,
  { turn, after }: { turn: TurnMessage; after: Transcript },
): void {
  const others = Object.values(after.head.openTurns);
  const isCancelled = event.outcome === "interrupted";
  const cancelled = { type: "output_cancelled", sessionId: scribe.sessionId, responseId: turn.turnId } as const;
  // Live it must not mark the tools that on a reload only the interrupt marks: the two would look different.
  const isMarked = [turn, ...others].some((one) => unsettledTools(one).length > 0);
  if (hasThinking(turn)) {
    scribe.send({ type: "thinking_done", text: wholeThinking(turn), ...responseOf(scribe, turn) });
  }
  if (isCancelled && !isMarked) scribe.send(cancelled);
  if (!isCancelled) {
    const text = wholeText(turn);
    if (text !== "") scribe.send({ type: "text_done", text, ...responseOf(scribe, turn) });
    scribe.send(updatedFrame(scribe.sessionId, event.ts));
  }
  closeStretch(scribe, turn);
  tellOutcome(scribe, event, turn);
  if (isCancelled && isMarked) scribe.send(cancelled);
  scribe.chat("turn_end", {}, { turnId: turn.turnId });
}

function tellOutcome(scribe: Scribe, event: EventOf<"turn_end">, turn: TurnMessage): void {
  const { outcome, error, reason } = event;
  if (outcome !== "completed" && outcome !== "errored") {
    return scribe.chat("interrupt", { reason: interruptReason(event) }, idsOf(turn));
  }
  settleTools(scribe, turn);
  if (outcome === "completed") return;
  const { code, message } = error ?? { code: "agent_error", message: reason ?? "The member failed." };
  scribe.chat("error", { code, message }, idsOf(turn));
}

/** A restart, a member that left and a store that fails stop a turn too; only the user cancels. */
function interruptReason({ outcome, reason }: EventOf<"turn_end">): ChatPayloads["interrupt"]["reason"] {
  if (outcome === "timed_out") return "timeout";
  return reason === undefined || reason === "interrupted" ? "user_cancel" : "error";
}

function triggerOf({ cause }: EventOf<"turn_start">, isQuestion: boolean): Trigger {
  if (cause === "user" || cause === "retry" || cause === "imported") return "user";
  return cause === "exchange" && !isQuestion ? "callback" : "system";
}

/** Where only one member speaks, nothing needs to be said about who it is. */
function isNamed({ head }: Transcript, { member, depth, replaces }: EventOf<"turn_start">): boolean {
  const others = Object.values(head.members).filter((one) => one.seated && one.name !== member);
  return others.length > 0 || depth > 0 || replaces !== undefined;
}
