/** The queue and its messages: each is shown when written, also while queued, and not again when it leaves. */
import type { EventOf } from "../../../src/protocol/index.ts";
import type { Transcript } from "../../../src/transcript/index.ts";
import { messageFrame, queueFrame } from "./frames.ts";
import { writtenText } from "./plans.ts";
import { addresseeOf, EVERYBODY, queuedChats, waitingIn, type Waiting } from "./queue-items.ts";
import { fromAndTo } from "./saved-messages.ts";
import type { UiDraft } from "./ui-message.ts";

export interface QueueFrames {
  updated(transcript: Transcript, event: EventOf<"queue_updated">): UiDraft[];
  /** A message may be pending or answered without having been in our queue. */
  delivered(transcript: Transcript, tsMs: number): UiDraft[];
  /** True once for a message that was shown while queued. */
  wasShown(messageId: string): boolean;
  /** Empty without queued messages. */
  current(transcript: Transcript, tsMs: number): UiDraft[];
}

export function createQueueFrames(from: Transcript): QueueFrames {
  const shown = new Set(from.head.queue.map((item) => item.messageId));
  let lastIds = idsOf(waitingIn(from));
  /** The agent under which the queue was last shown. */
  let lastAgent: string | undefined;

  function frameOf(transcript: Transcript, tsMs: number, agent: string, waiting: readonly Waiting[]): UiDraft {
    const { head } = transcript;
    const items = queuedChats(head, waiting);
    const { sessionId, cwd } = head;
    return queueFrame({ tsMs, projectRoot: cwd, sessionId, agent, count: waiting.length, items });
  }

  function framesOf(transcript: Transcript, tsMs: number, waiting: readonly Waiting[]): UiDraft[] {
    lastIds = idsOf(waiting);
    const before = lastAgent;
    const [first] = waiting;
    const agent = first === undefined ? (before ?? EVERYBODY) : addresseeOf(first.to) || EVERYBODY;
    lastAgent = agent;
    // Clients key queues by agent: the old one is cleared when it moves to another agent.
    const isOther = before !== undefined && before !== agent;
    return [...(isOther ? [frameOf(transcript, tsMs, before, [])] : []), frameOf(transcript, tsMs, agent, waiting)];
  }

  return {
    updated(transcript, { items, ts: tsMs }) {
      const fresh = items.filter((item) => !shown.has(item.messageId));
      for (const item of fresh) shown.add(item.messageId);
      const messages = fresh.map((item) =>
        messageFrame({ tsMs, ...fromAndTo({ ...item, toAll: false }), text: writtenText(item) }),
      );
      return [...framesOf(transcript, tsMs, waitingIn(transcript)), ...messages];
    },
    delivered(transcript, tsMs) {
      const waiting = waitingIn(transcript);
      return idsOf(waiting) === lastIds ? [] : framesOf(transcript, tsMs, waiting);
    },
    wasShown: (messageId) => shown.delete(messageId),
    current(transcript, tsMs) {
      const waiting = waitingIn(transcript);
      return waiting.length === 0 ? [] : framesOf(transcript, tsMs, waiting);
    },
  };
}

function idsOf(waiting: readonly Waiting[]): string {
  return waiting.map(({ messageId, to }) => `${messageId} ${to.join(" ")}`).join("\n");
}
