/**
 * User messages. Assistant shows a message at the start of the turn that answers it, so ours wait for that turn, or for
 * the running turn they steer; only an unanswered message is shown on its own. Messages from another program's files
 * have no turn here.
 */
import type { EventOf } from "../../../src/protocol/index.ts";
import {
  deliveriesOf,
  resolveMessage,
  type Transcript,
  type UserMessage,
  addressedText,
} from "../../../src/transcript/index.ts";
import type { FrameWriter } from "./frame-writer.ts";

/** A message not shown yet. */
export interface PendingMessage {
  readonly messageId: string;
  readonly text: string;
  readonly clientMessageId?: string;
  /** For an imported message: its origin and its position in our log. */
  readonly elsewhere?: { readonly origin: string; readonly seq: number };
}

const STEERING = "steering";
/** Client id of all connections of this wire. */
export const ASSISTANT_CLIENT = "assistant";

/** Events after which an unanswered message will stay unanswered. */
const ENDINGS: ReadonlySet<string> = new Set(["recovered", "session_resume"]);

export function isEnding(type: string): boolean {
  return ENDINGS.has(type);
}

type MessageSource = Pick<UserMessage, "messageId" | "text" | "to" | "toAll" | "seq"> &
  Pick<EventOf<"user_message">, "clientMessageId" | "clientId" | "origin">;

/** Messages sent here have an id and recipients; without an id there were none. */
export function toPendingMessage({
  messageId,
  clientMessageId,
  clientId,
  origin,
  seq,
  ...message
}: MessageSource): PendingMessage {
  // A name written at the start is shown again.
  const text = clientId === ASSISTANT_CLIENT ? addressedText(message) : message.text;
  if (clientMessageId !== undefined) return { messageId, text, clientMessageId };
  return { messageId, text, ...(origin === undefined ? {} : { elsewhere: { origin, seq } }) };
}

/**
 * True for an imported message outside any turn: no turn will name it. While a turn of the same origin is open, it
 * may still steer that one.
 */
export function isUnclaimed({ head }: Transcript, { elsewhere }: PendingMessage): boolean {
  if (elsewhere === undefined) return false;
  const { origin, seq } = elsewhere;
  return !Object.values(head.openTurns).some((turn) => turn.seq < seq && isOfFiles(origin, turn.origin));
}

/** A message by another agent has its name after the origin. */
function isOfFiles(origin: string, turnOrigin: string | undefined): boolean {
  return turnOrigin !== undefined && (origin === turnOrigin || origin.startsWith(`${turnOrigin} from `));
}

export function showMessage(writer: FrameWriter, { text, clientMessageId }: PendingMessage): void {
  writer.send({ type: "user_message", sessionId: writer.sessionId, text }, clientMessageId);
}

/** Turn that a message was steered into, according to this delivery. */
export function steeredInto({ head }: Transcript, event: EventOf<"message_delivery">): string | undefined {
  if (event.state !== "pending" || event.reason !== STEERING) return undefined;
  return Object.values(head.openTurns).findLast((turn) => turn.member === event.member && turn.depth === 0)?.turnId;
}

/** Messages not yet shown in a session opened now. */
export function findPendingMessages(transcript: Transcript): PendingMessage[] {
  const { head } = transcript;
  const messages = transcript.live.flatMap((page) => page.messages).map((message) => resolveMessage(head, message));
  const ending = messages.findLastIndex((message) => message.kind === "notice" && isEnding(message.event.type));
  const claimed = new Set(
    messages.flatMap((message) =>
      message.kind === "turn"
        ? [...message.messageIds, ...message.blocks.flatMap((one) => (one.kind === "steering" ? [one.messageId] : []))]
        : [],
    ),
  );
  return messages
    .slice(ending + 1)
    .filter((message): message is UserMessage => message.kind === "user" && message.seq > head.clearedSeq)
    .filter((message) => !claimed.has(message.messageId))
    .flatMap((message) => {
      const pending = toPendingMessage(message);
      // A member that has it in its own memory counts as having answered it, without a turn to show it in.
      const isElsewhere = pending.elsewhere !== undefined;
      const isShown = isElsewhere ? isUnclaimed(transcript, pending) : isDeliveredOrDropped(transcript, message);
      return isShown ? [] : [pending];
    });
}

/** Its turn may have been replaced by one that does not name it. */
function isDeliveredOrDropped({ head }: Transcript, message: UserMessage): boolean {
  return Object.values(deliveriesOf(head, message)).some(
    ({ state, reason }) => state !== "pending" || reason === STEERING,
  );
}
