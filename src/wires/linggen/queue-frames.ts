/** The queue, and the messages in it: each is shown when it is written, also while it waits, and not again when it leaves. */
import type { EventOf } from "../../protocol/index.ts";
import type { Head } from "../../transcript/index.ts";
import { messageFrame, queueFrame } from "./frames.ts";
import { writtenText } from "./plans.ts";
import { addresseeOf, EVERYBODY, queuedChats } from "./queue-items.ts";
import { userParts } from "./saved-messages.ts";
import type { UiDraft } from "./ui-message.ts";

export interface QueueFrames {
  updated(head: Head, event: EventOf<"queue_updated">): UiDraft[];
  /** True, once, for a message that was shown while it waited. */
  wasShown(messageId: string): boolean;
  /** Empty when nothing waits. */
  current(head: Head, tsMs: number): UiDraft[];
}

export function createQueueFrames({ queue: waiting }: Head): QueueFrames {
  const shown = new Set(waiting.map((item) => item.messageId));
  /** Under whose name the queue was shown last. */
  let lastAgent: string | undefined;

  function nameOf({ queue: [first] }: Head): string {
    lastAgent = first === undefined ? (lastAgent ?? EVERYBODY) : addresseeOf(first.to) || EVERYBODY;
    return lastAgent;
  }

  function frameOf(
    head: Head,
    { tsMs, agent, queue = head.queue }: { tsMs: number; agent: string; queue?: Head["queue"] },
  ) {
    const { sessionId, cwd } = head;
    const items = queuedChats(head, queue);
    return queueFrame({ tsMs, projectRoot: cwd, sessionId, agent, count: queue.length, items });
  }

  return {
    updated(head, { items, ts: tsMs }) {
      const fresh = items.filter((item) => !shown.has(item.messageId));
      for (const item of fresh) shown.add(item.messageId);
      const messages = fresh.map((item) =>
        messageFrame({ tsMs, ...userParts({ ...item, toAll: false }), text: writtenText(item) }),
      );
      const before = lastAgent;
      const agent = nameOf(head);
      // Clients keep a queue by its agent: one that is shown under another name now must not stay.
      const isOther = before !== undefined && before !== agent;
      const emptied = isOther ? [frameOf(head, { tsMs, agent: before, queue: [] })] : [];
      return [...emptied, frameOf(head, { tsMs, agent }), ...messages];
    },
    wasShown: (messageId) => shown.delete(messageId),
    current: (head, tsMs) => (head.queue.length === 0 ? [] : [frameOf(head, { tsMs, agent: nameOf(head) })]),
  };
}
