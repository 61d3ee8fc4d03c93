/**
 * The beginning and the end of a turn, in the order in which assistant's server tells them. Every turn that has begun
 * ends with `turn_end`, also one that was cancelled, failed or lost.
 */
import type { EventOf } from "../../protocol/index.ts";
import type { Transcript, TurnMessage } from "../../transcript/index.ts";
import type { ChatPayloads } from "./chat-event.ts";
import { answeredExchange } from "./map-exchange.ts";
import { placeOf, responseOf } from "./map-text.ts";
import { showMessage, type Unshown } from "./map-user.ts";
import { updatedFrame } from "./map-session.ts";
import type { Scribe } from "./scribe.ts";
import { TABLE_AGENT } from "./session-summary.ts";
import { hasThinking, stretchOf, wholeText, wholeThinking } from "./spoken-text.ts";

type Trigger = ChatPayloads["turn_start"]["trigger"];

/** `messages` are those of the user that this turn is the first to take. */
export function mapTurnStart(
  scribe: Scribe,
  event: EventOf<"turn_start">,
  { after, messages }: { after: Transcript; messages: readonly Unshown[] },
): void {
  const { sessionId } = scribe;
  const { turnId, member } = event;
  const asked = answeredExchange(after, event);
  if (messages.length > 0) scribe.send(updatedFrame(sessionId, after.head, event.ts));
  for (const message of messages) showMessage(scribe, message);
  if (asked !== undefined) {
    const { asker: fromAgentId, text, agentExchangeId } = asked;
    const kind = { type: "user_message", agentMessageType: "agent_message" } as const;
    scribe.send({ ...kind, sessionId, text, fromAgentId, fromSessionId: sessionId, agentExchangeId });
  }
  scribe.chat("turn_start", { trigger: triggerOf(event, asked !== undefined) }, { turnId });
  if (isNamed(after, event)) {
    scribe.chat("agent_switch", { fromAgentId: TABLE_AGENT, toAgentId: member }, { turnId });
    scribe.chat("custom_message", { text: member, label: "member" }, { turnId });
  }
  for (const { text } of messages) scribe.chat("user_message", { text }, { turnId });
  if (asked !== undefined) {
    const from = { fromAgentId: asked.asker, fromSessionId: sessionId };
    scribe.chat("user_message", { text: asked.text, ...from }, { turnId });
  }
}

export function mapTurnEnd(
  scribe: Scribe,
  event: EventOf<"turn_end">,
  { turn, after }: { turn: TurnMessage; after: Transcript },
): void {
  const { turnId } = turn;
  const place = placeOf(turn);
  const thinking = wholeThinking(turn);
  if (hasThinking(turn)) scribe.send({ type: "thinking_done", text: thinking, ...responseOf(scribe, turn) });
  if (event.outcome === "interrupted") {
    scribe.send({ type: "output_cancelled", sessionId: scribe.sessionId, responseId: turnId });
  } else {
    const text = wholeText(turn);
    if (text !== "") scribe.send({ type: "text_done", text, ...responseOf(scribe, turn) });
    scribe.send(updatedFrame(scribe.sessionId, after.head, event.ts));
  }
  if (thinking !== "") scribe.chat("thinking_done", { text: thinking }, place);
  const said = stretchOf(turn);
  if (said !== "") scribe.chat("assistant_done", { text: said }, place);
  if (event.outcome === "errored") {
    const { code, message } = event.error ?? { code: "agent_error", message: event.reason ?? "The member failed." };
    scribe.chat("error", { code, message }, place);
  } else if (event.outcome !== "completed") scribe.chat("interrupt", { reason: interruptReason(event) }, place);
  scribe.chat("turn_end", {}, { turnId });
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
