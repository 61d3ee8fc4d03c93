/**
 * Start and end of a turn, in the order of assistant's server. Every started turn
 * ends with `turn_end`, also one that was cancelled, failed or lost.
 */
import type { EventOf } from "../../../src/protocol/index.ts";
import type { Transcript, TurnMessage } from "../../../src/transcript/index.ts";
import type { ChatPayloads } from "./chat-event.ts";
import { closeSpan } from "./close-span.ts";
import { answeredExchange } from "./map-exchange.ts";
import { idsOf, responseOf } from "./map-text.ts";
import { settleTools, unsettledTools } from "./map-tool.ts";
import { showMessage, type PendingMessage } from "./map-user.ts";
import { updatedFrame } from "./map-session.ts";
import type { FrameWriter } from "./frame-writer.ts";
import { ROUNDTABLE_AGENT } from "./session-summary.ts";
import { hasThinking, wholeText, wholeThinking } from "./turn-spans.ts";

type Trigger = ChatPayloads["turn_start"]["trigger"];

/** `messages`: user messages that no earlier turn has shown. */
export function mapTurnStart(
  writer: FrameWriter,
  event: EventOf<"turn_start">,
  { after, messages }: { after: Transcript; messages: readonly PendingMessage[] },
): void {
  const { sessionId } = writer;
  const { turnId, member } = event;
  const question = answeredExchange(after, event);
  if (messages.length > 0) writer.send(updatedFrame(sessionId, event.ts));
  for (const message of messages) showMessage(writer, message);
  if (question !== undefined) {
    const { asker: fromAgentId, text, agentExchangeId } = question;
    const kind = { type: "user_message", agentMessageType: "agent_message" } as const;
    writer.send({ ...kind, sessionId, text, fromAgentId, fromSessionId: sessionId, agentExchangeId });
  }
  writer.chat("turn_start", { trigger: triggerOf(event, question !== undefined) }, { turnId });
  for (const { text } of messages) writer.chat("user_message", { text }, { turnId });
  if (question !== undefined) {
    const from = { fromAgentId: question.asker, fromSessionId: sessionId };
    writer.chat("user_message", { text: question.text, ...from }, { turnId });
  }
  // The name belongs above the answer, not above the question.
  if (isNamed(after, event)) {
    writer.chat("agent_switch", { fromAgentId: ROUNDTABLE_AGENT, toAgentId: member }, { turnId });
    writer.chat("custom_message", { text: member, label: "member" }, { turnId });
  }
}

export function mapTurnEnd(
  writer: FrameWriter,
  event: EventOf<"turn_end">,
  { turn, after }: { turn: TurnMessage; after: Transcript },
): void {
  const others = Object.values(after.head.openTurns);
  const isCancelled = event.outcome === "interrupted";
  const cancelled = { type: "output_cancelled", sessionId: writer.sessionId, responseId: turn.turnId } as const;
  // Live it must not mark tools that a reload marks only by the interrupt: the two would differ.
  const isMarked = [turn, ...others].some((one) => unsettledTools(one).length > 0);
  if (hasThinking(turn)) {
    writer.send({ type: "thinking_done", text: wholeThinking(turn), ...responseOf(writer, turn) });
  }
  if (isCancelled && !isMarked) writer.send(cancelled);
  if (!isCancelled) {
    const text = wholeText(turn);
    if (text !== "") writer.send({ type: "text_done", text, ...responseOf(writer, turn) });
    writer.send(updatedFrame(writer.sessionId, event.ts));
  }
  closeSpan(writer, turn);
  writeOutcome(writer, event, turn);
  if (isCancelled && isMarked) writer.send(cancelled);
  writer.chat("turn_end", {}, { turnId: turn.turnId });
}

function writeOutcome(writer: FrameWriter, event: EventOf<"turn_end">, turn: TurnMessage): void {
  const { outcome, error, reason } = event;
  if (outcome !== "completed" && outcome !== "errored") {
    return writer.chat("interrupt", { reason: interruptReason(event) }, idsOf(turn));
  }
  settleTools(writer, turn);
  if (outcome === "completed") return;
  const { code, message } = error ?? { code: "agent_error", message: reason ?? "The member failed." };
  writer.chat("error", { code, message }, idsOf(turn));
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

/** With a single member the speaker is not named. */
function isNamed({ head }: Transcript, { member, depth, replaces }: EventOf<"turn_start">): boolean {
  const others = Object.values(head.members).filter((one) => one.seated && one.name !== member);
  return others.length > 0 || depth > 0 || replaces !== undefined;
}
