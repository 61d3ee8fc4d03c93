/** The queue as linggen shows it: a waiting message is an item of each agent it waits for, under one id. */
import type { QueueItem } from "../../protocol/index.ts";
import type { Head } from "../../transcript/index.ts";
import { writtenText } from "./plans.ts";
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

/** Pages show an agent's own items only. */
export function queuedChats(head: Pick<Head, "sessionId" | "members">, queue: readonly QueueItem[]): QueuedChat[] {
  const seated = Object.values(head.members).flatMap(({ name, seated: isSeated }) => (isSeated ? [name] : []));
  return queue.flatMap((item) => {
    const everybody = seated.length === 0 ? [EVERYBODY] : seated;
    const agents = item.to.includes(EVERYBODY) || item.to.length === 0 ? everybody : item.to;
    return agents.map((agent) => ({
      id: item.messageId,
      agent_id: agent,
      session_id: head.sessionId,
      preview: previewOf(writtenText(item)),
      timestamp: toSeconds(item.ts),
    }));
  });
}

/** Nobody's name when it is for several: pages show that to each of them, and nothing that is for an agent unknown. */
export function addresseeOf(to: readonly string[]): string {
  const [only] = to;
  return to.length !== 1 || only === undefined || only === EVERYBODY ? "" : only;
}

function previewOf(text: string): string {
  const letters = Array.from(text);
  return letters.length <= PREVIEW_CHARS_MAX ? text : `${letters.slice(0, PREVIEW_CHARS_MAX).join("")}…`;
}
