/** The queue in assistant's format: a message was queued, a message left the queue. */
import type { QueueItem } from "../../../src/protocol/index.ts";
import type { FrameWriter } from "./frame-writer.ts";
import type { ServerFrame } from "./server-frame.ts";

/** An id generated for a client that sent none. */
export const OWN_MESSAGE_PREFIX = "rt004-";

export function mapQueue(writer: FrameWriter, before: readonly QueueItem[], after: readonly QueueItem[]): void {
  const { sessionId } = writer;
  const left = new Map(after.map((item) => [item.messageId, item]));
  for (const { messageId } of before) {
    if (!left.has(messageId)) writer.send({ type: "message_dequeued", messageId, sessionId });
  }
  const had = new Map(before.map((item) => [item.messageId, item]));
  const previousOrder = before.filter(({ messageId }) => left.has(messageId)).map(({ messageId }) => messageId);
  const order = after.filter(({ messageId }) => had.has(messageId)).map(({ messageId }) => messageId);
  const isReordered = previousOrder.some((messageId, at) => messageId !== order[at]);
  for (const [at, item] of after.entries()) {
    const known = had.get(item.messageId);
    if (known === undefined || known.text !== item.text || isReordered)
      writer.send(queuedFrame(sessionId, item, at + 1));
  }
}

export function queuedFrame(sessionId: string, item: QueueItem, position: number): ServerFrame {
  const { messageId, text, clientMessageId } = item;
  const isTheirs = clientMessageId !== undefined && !clientMessageId.startsWith(OWN_MESSAGE_PREFIX);
  return {
    type: "message_queued",
    messageId,
    text,
    position,
    sessionId,
    source: "user",
    ...(isTheirs ? { clientMessageId } : {}),
  };
}
