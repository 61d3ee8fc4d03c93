/** One message of the user as a question: which turns belong to it, and whether it is answered. */
import type { ShownMessage, Transcript, TurnMessage, UserMessage } from "../model.ts";
import { isDiscussing } from "./council.ts";
import { deliveriesOf, loadedMessages } from "./messages.ts";

/** The user's message with this id of the client, once it has left the queue. */
export function findQuestion(transcript: Transcript, clientMessageId: string): UserMessage | undefined {
  for (const message of loadedMessages(transcript)) {
    if (message.kind === "user" && message.clientMessageId === clientMessageId) return message;
  }
  return undefined;
}

/** Turns that answer the question or go back to it, and those it was steered into. */
export function belongsTo(question: UserMessage, message: ShownMessage): message is TurnMessage {
  if (message.kind !== "turn") return false;
  if (isStartedBy(question, message)) return true;
  return message.blocks.some((block) => block.kind === "steering" && block.messageId === question.messageId);
}

function isStartedBy({ messageId }: UserMessage, turn: TurnMessage): boolean {
  return turn.rootMessageId === messageId || turn.messageIds.includes(messageId);
}

/** True when no turn is open that the question started: what it still waits for is in turns of others. */
export function isLeftToOthers(transcript: Transcript, question: UserMessage): boolean {
  return !Object.values(transcript.head.openTurns).some((turn) => isStartedBy(question, turn));
}

/** True when every addressee has settled the question, no turn that goes back to it is open and its discussion is over. */
export function isAnswered(transcript: Transcript, question: UserMessage): boolean {
  const deliveries = deliveriesOf(transcript.head, question);
  const isDelivered = question.to.every((name) => {
    const state = deliveries[name]?.state;
    return state === "answered" || state === "dropped";
  });
  if (isDiscussing(transcript.head, question.messageId)) return false;
  return isDelivered && !Object.values(transcript.head.openTurns).some((turn) => belongsTo(question, turn));
}
