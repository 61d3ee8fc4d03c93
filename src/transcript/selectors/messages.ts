/** Messages by position, with open turns filled in. A message of a page that is not in memory is undefined. */
import {
  PAGE_SIZE,
  type Delivery,
  type Head,
  type Message,
  type Page,
  type ShownMessage,
  type Transcript,
  type TurnMessage,
  type UserMessage,
} from "../model.ts";
import { own } from "../record.ts";

export function resolveMessage(head: Head, message: Message): ShownMessage {
  if (message.kind !== "open-turn") return message;
  const turn = own(head.openTurns, message.turnId);
  if (turn === undefined) {
    throw new Error(
      `Turn ${message.turnId} of session ${head.sessionId} has a place but is not open: the fold is inconsistent.`,
    );
  }
  return turn;
}

export function pageAt(transcript: Transcript, index: number): Page | undefined {
  const { frozen, live } = transcript;
  return index < frozen.length ? frozen[index] : live[index - frozen.length];
}

export function messageAt(transcript: Transcript, position: number): ShownMessage | undefined {
  const message = pageAt(transcript, Math.floor(position / PAGE_SIZE))?.messages[position % PAGE_SIZE];
  return message === undefined ? undefined : resolveMessage(transcript.head, message);
}

/** Positions `from` up to but not including `to`, cut to those that exist. */
export function messagesBetween(transcript: Transcript, from: number, to: number): (ShownMessage | undefined)[] {
  const first = Math.max(0, from);
  const count = Math.max(0, Math.min(to, transcript.head.messageCount) - first);
  return Array.from({ length: count }, (_, offset) => messageAt(transcript, first + offset));
}

/** Every message in memory, oldest first. */
export function* loadedMessages(transcript: Transcript): Generator<ShownMessage, void, void> {
  for (const page of [...transcript.frozen, ...transcript.live]) {
    for (const message of page?.messages ?? []) yield resolveMessage(transcript.head, message);
  }
}

/** Every message in memory, newest first. */
export function* loadedMessagesBackward(transcript: Transcript): Generator<ShownMessage, void, void> {
  for (let position = transcript.head.messageCount - 1; position >= 0; position -= 1) {
    const message = messageAt(transcript, position);
    if (message !== undefined) yield message;
  }
}

/** The turn, open or ended, if it is in memory. */
export function turnById(transcript: Transcript, turnId: string): TurnMessage | undefined {
  const open = own(transcript.head.openTurns, turnId);
  if (open !== undefined) return open;
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind === "turn" && message.turnId === turnId) return message;
  }
  return undefined;
}

/** How far a message has come, by member. */
export function deliveriesOf(head: Head, message: UserMessage): Readonly<Record<string, Delivery>> {
  return own(head.deliveries, message.messageId) ?? message.deliveries;
}
