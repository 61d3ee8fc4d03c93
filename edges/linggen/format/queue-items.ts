/** The queue as linggen shows it: a waiting message is an item of each agent it waits for, under one id. */
import type { QueueItem } from "../../../src/protocol/index.ts";
import type { Head, Transcript, UserMessage } from "../../../src/transcript/index.ts";
import { writtenText } from "./plans.ts";
import { toSeconds } from "./ui-message.ts";

/** What is shown of a message that waits, whether it is in our queue or on its way into a turn that runs. */
export type Waiting = Pick<QueueItem, "messageId" | "text" | "to" | "origin" | "ts">;

/** Why a message that has left our queue is not given yet: it goes into the running turn, or follows it. */
const WAITS: ReadonlySet<string | undefined> = new Set(["steering", "waiting"]);

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

/** Everything that nobody has begun to answer, the oldest first: to these clients all of it is queued. */
export function waitingIn({ head, live }: Transcript): Waiting[] {
  const late = new Map(
    Object.entries(head.deliveries).flatMap(([messageId, to]) => {
      const names = Object.keys(to).filter((name) => to[name]?.state === "pending" && WAITS.has(to[name].reason));
      return names.length === 0 || head.queue.some((item) => item.messageId === messageId)
        ? []
        : [[messageId, names] as const];
    }),
  );
  if (late.size === 0) return [...head.queue];
  const messages = live.flatMap((page) => page.messages.filter((one): one is UserMessage => one.kind === "user"));
  const given = messages.flatMap((one) => {
    const to = late.get(one.messageId);
    return to === undefined ? [] : [{ ...one, to, origin: one.origin }];
  });
  return [...given, ...head.queue];
}

/** Pages show an agent's own items only. */
export function queuedChats(head: Pick<Head, "sessionId" | "members">, queue: readonly Waiting[]): QueuedChat[] {
  const memberNames = Object.values(head.members).flatMap(({ name, seated: isMember }) => (isMember ? [name] : []));
  return queue.flatMap((item) => {
    const everybody = memberNames.length === 0 ? [EVERYBODY] : memberNames;
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
