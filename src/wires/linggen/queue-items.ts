/** The queue as linggen shows it: one item a waiting message. */
import type { QueueItem } from "../../protocol/index.ts";
import { toSeconds } from "./ui-message.ts";

const PREVIEW_CHARS_MAX = 100;
/** Who a message is for when it is for more than one. */
export const EVERYBODY = "all";

export interface QueuedChat {
  readonly id: string;
  readonly agent_id: string;
  readonly session_id: string;
  readonly preview: string;
  readonly timestamp: number;
}

export function queuedChats(sessionId: string, queue: readonly QueueItem[]): QueuedChat[] {
  return queue.map(({ messageId, to, text, ts }) => ({
    id: messageId,
    agent_id: addresseeOf(to),
    session_id: sessionId,
    preview: previewOf(text),
    timestamp: toSeconds(ts),
  }));
}

export function addresseeOf(to: readonly string[]): string {
  return to.length === 1 ? (to[0] ?? EVERYBODY) : EVERYBODY;
}

function previewOf(text: string): string {
  const letters = Array.from(text);
  return letters.length <= PREVIEW_CHARS_MAX ? text : `${letters.slice(0, PREVIEW_CHARS_MAX).join("")}…`;
}
