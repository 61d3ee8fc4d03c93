/** The queue as linggen shows it: a queued message is an item of each recipient, under one id. */
import type { QueueItem } from "../../../src/protocol/index.ts";
import type { Head, Transcript, UserMessage } from "../../../src/transcript/index.ts";
import { writtenText } from "./plans.ts";
import { toSeconds } from "./ui-message.ts";

/** Items of a pending message, queued or on its way into a running turn. */
export type Waiting = Pick<QueueItem, "messageId" | "text" | "to" | "origin" | "ts">;

/** Delivery of a message that left our queue: steers the running turn or follows it. */
const WAITS: ReadonlySet<string | undefined> = new Set(["steering", "waiting"]);

const PREVIEW_CHARS_MAX = 100;
/** Recipient of a message to several members. */
export const EVERYBODY = "all";

export interface QueuedChat {
  readonly id: string;
  readonly agent_id: string;
  readonly session_id: string;
  readonly preview: string;
  readonly timestamp: number;
}

/** All unanswered messages, oldest first: these clients show them as queued. */
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

/** No name when it is for several: pages show that to each agent, and hide items of unknown agents. */
export function addresseeOf(to: readonly string[]): string {
  const [only] = to;
  return to.length !== 1 || only === undefined || only === EVERYBODY ? "" : only;
}

function previewOf(text: string): string {
  const letters = Array.from(text);
  return letters.length <= PREVIEW_CHARS_MAX ? text : `${letters.slice(0, PREVIEW_CHARS_MAX).join("")}…`;
}
