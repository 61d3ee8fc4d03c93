/**
 * The user's messages. Assistant shows a message at the beginning of the turn that answers it, so a message of ours
 * waits for that turn, or for the running one it is steered into; only one that nobody takes is shown by itself. What
 * the user said elsewhere, in files of another program, nobody here takes.
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

/** A message that was said but not shown yet. */
export interface PendingMessage {
  readonly messageId: string;
  readonly text: string;
  readonly clientMessageId?: string;
  /** Of a message that was said elsewhere: in which files, and its place in our log. */
  readonly elsewhere?: { readonly origin: string; readonly seq: number };
}

const STEERING = "steering";
/** Who all connections of this wire are to the host. */
export const ASSISTANT_CLIENT = "assistant";

/** After these nobody will take a message that nobody has taken. */
const ENDINGS: ReadonlySet<string> = new Set(["recovered", "session_resume"]);

export function isEnding(type: string): boolean {
  return ENDINGS.has(type);
}

type MessageSource = Pick<UserMessage, "messageId" | "text" | "to" | "toAll" | "seq"> &
  Pick<EventOf<"user_message">, "clientMessageId" | "clientId" | "origin">;

/** Whoever says something here gives it an id of its own, and somebody is asked; without one nobody was. */
export function toPendingMessage({
  messageId,
  clientMessageId,
  clientId,
  origin,
  seq,
  ...message
}: MessageSource): PendingMessage {
  // Whoever has written a name at the beginning here sees it there again.
  const text = clientId === ASSISTANT_CLIENT ? addressedText(message) : message.text;
  if (clientMessageId !== undefined) return { messageId, text, clientMessageId };
  return { messageId, text, ...(origin === undefined ? {} : { elsewhere: { origin, seq } }) };
}

/**
 * True for what was said elsewhere and did not go into a turn: no turn will ever name it. As long as a turn of the same
 * files is open, it may still be steered into that one.
 */
export function isUnclaimed({ head }: Transcript, { elsewhere }: PendingMessage): boolean {
  if (elsewhere === undefined) return false;
  const { origin, seq } = elsewhere;
  return !Object.values(head.openTurns).some((turn) => turn.seq < seq && isOfFiles(origin, turn.origin));
}

/** Where another agent wrote the message, its name stands behind the origin. */
function isOfFiles(origin: string, turnOrigin: string | undefined): boolean {
  return turnOrigin !== undefined && (origin === turnOrigin || origin.startsWith(`${turnOrigin} from `));
}

export function showMessage(writer: FrameWriter, { text, clientMessageId }: PendingMessage): void {
  writer.send({ type: "user_message", sessionId: writer.sessionId, text }, clientMessageId);
}

/** Which turn a message went into, if this delivery says that it is steered into one. */
export function steeredInto({ head }: Transcript, event: EventOf<"message_delivery">): string | undefined {
  if (event.state !== "pending" || event.reason !== STEERING) return undefined;
  return Object.values(head.openTurns).findLast((turn) => turn.member === event.member && turn.depth === 0)?.turnId;
}

/** What is said but not shown in a session that is opened as it stands. */
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
      // A member that has it in its own memory counts as having answered it, and says nothing of where it is shown.
      const isElsewhere = pending.elsewhere !== undefined;
      const isShown = isElsewhere ? isUnclaimed(transcript, pending) : isDeliveredOrDropped(transcript, message);
      return isShown ? [] : [pending];
    });
}

/** The turn that took it may have been replaced by one that does not name it. */
function isDeliveredOrDropped({ head }: Transcript, message: UserMessage): boolean {
  return Object.values(deliveriesOf(head, message)).some(
    ({ state, reason }) => state !== "pending" || reason === STEERING,
  );
}
