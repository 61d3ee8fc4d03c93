/** A session's history in linggen's format: sender, recipient and text, timestamps in seconds, oldest first. */
import { decodeTime } from "ulid";
import { isUlid } from "../../../src/kit/ids.ts";
import type { QueueItem } from "../../../src/protocol/index.ts";
import type { Notice, ShownMessage, TurnMessage, UserMessage } from "../../../src/transcript/index.ts";
import { agentsOfTurns } from "./agent-ids.ts";
import { isIdlePrompt } from "./idle-prompt.ts";
import { historyEntries } from "./history-entries.ts";
import { writtenText, type PlanStatus } from "./plans.ts";
import { addresseeOf, EVERYBODY } from "./queue-items.ts";
import { toSeconds } from "./ui-message.ts";

export interface SavedMessage {
  readonly agent_id: string;
  readonly from_id: string;
  readonly to_id: string;
  readonly content: string;
  readonly timestamp: number;
  readonly is_observation: boolean;
}

/** How long before its event a message may have been queued. */
const QUEUED_MS_MAX = 24 * 60 * 60 * 1_000;

/** The newest plan has its current state, because pages trust the history. */
export function savedMessages(
  shown: readonly ShownMessage[],
  queue: readonly QueueItem[] = [],
  plan?: PlanStatus & { readonly planId: string },
): SavedMessage[] {
  const turns = shown.filter((message) => message.kind === "turn");
  const agents = agentsOfTurns(turns);
  const askers = askersOf(turns);
  const saved = shown.flatMap((message): SavedMessage[] => {
    if (message.kind === "user") return [savedUser(message)];
    if (message.kind === "notice") return savedNotice(message);
    if (message.depth > 0) return [];
    const agent = agents.get(message.turnId)?.agent ?? message.member;
    return historyEntries(message, plan).map(
      ({ text, tsMs, to = askers.get(message.agentExchangeId ?? "") ?? "user" }) =>
        createSavedMessage(agent, to, text, tsMs),
    );
  });
  const waiting = queue.map((item) => createSavedMessage("user", addresseeOf(item.to), writtenText(item), item.ts));
  return inOrder([...saved, ...waiting]);
}

export function createSavedMessage(from: string, to: string, content: string, tsMs: number): SavedMessage {
  const agent = from === "user" || from === "system" ? to || EVERYBODY : from;
  const timestamp = toSeconds(tsMs);
  return { agent_id: agent, from_id: from, to_id: to, content, timestamp, is_observation: false };
}

/** A queued message has the time it was written, when clients first showed it. */
export function sentAt({ messageId, ts }: Pick<UserMessage, "messageId" | "ts">): number {
  const madeTs = isUlid(messageId) ? decodeTime(messageId) : ts;
  return madeTs <= ts && ts - madeTs <= QUEUED_MS_MAX ? madeTs : ts;
}

interface Addressed {
  readonly to: readonly string[];
  readonly toAll: boolean;
  readonly origin?: string | undefined;
}

export function fromAndTo(message: Addressed): { from: string; to: string } {
  return {
    from: isIdlePrompt(message.origin) ? "system" : "user",
    to: message.toAll ? "" : addresseeOf(message.to),
  };
}

export function savedUser(message: UserMessage): SavedMessage {
  const { from, to } = fromAndTo(message);
  return createSavedMessage(from, to, writtenText(message), sentAt(message));
}

/** Members that wait for an exchange. */
export function askersOf(turns: Iterable<TurnMessage>): Map<string, string> {
  const askers = new Map<string, string>();
  for (const turn of turns) {
    for (const block of turn.blocks) if (block.kind === "exchange") askers.set(block.agentExchangeId, turn.member);
  }
  return askers;
}

/** Notices for the user; others have no form on this wire. Sent to the agent concerned, where it is shown. */
export function noticeText(event: Notice["event"]): { from: string; to: string; text: string } | undefined {
  const { type, member } = event as { type: string; member?: string };
  if (type === "minutes" && "text" in event && typeof event.text === "string") {
    const from = "by" in event && typeof event.by === "string" ? event.by : "system";
    return { from, to: "user", text: event.text };
  }
  const isShown = type === "error" || type === "warning" || type === "council_paused";
  if (!isShown || !("message" in event) || typeof event.message !== "string") return undefined;
  return { from: "system", to: member ?? "user", text: event.message };
}

function savedNotice({ event, ts }: Notice): SavedMessage[] {
  const notice = noticeText(event);
  return notice === undefined ? [] : [createSavedMessage(notice.from, notice.to, notice.text, ts)];
}

/**
 * Clients merge equal messages of the same second and sort by second: the later one is moved by a second, and its
 * successors are not earlier.
 */
function inOrder(messages: readonly SavedMessage[]): SavedMessage[] {
  const keys = new Set<string>();
  let latest = 0;
  return messages
    .toSorted((a, b) => a.timestamp - b.timestamp)
    .map((message) => {
      let timestamp = Math.max(latest, message.timestamp);
      const keyAt = () => `${message.from_id}|${message.to_id}|${timestamp}|${message.content}`;
      while (keys.has(keyAt())) timestamp += 1;
      keys.add(keyAt());
      latest = timestamp;
      return Object.assign({}, message, { timestamp });
    });
}
