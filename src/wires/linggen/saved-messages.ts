/** A session's history as linggen keeps it: who said what to whom, in seconds, the oldest first. */
import { decodeTime } from "ulid";
import { isUlid } from "../../kit/ids.ts";
import type { QueueItem } from "../../protocol/index.ts";
import type { Notice, ShownMessage, TurnMessage, UserMessage } from "../../transcript/index.ts";
import { agentsOfTurns, type TurnAgent } from "./agent-ids.ts";
import { isIdlePrompt } from "./idle-prompt.ts";
import { piecesOf } from "./pieces.ts";
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

/** How long before its event a message may have been put into the queue. */
const QUEUED_MS_MAX = 24 * 60 * 60 * 1_000;

export function savedMessages(shown: readonly ShownMessage[], queue: readonly QueueItem[] = []): SavedMessage[] {
  const turns = shown.filter((message) => message.kind === "turn");
  const agents = agentsOfTurns(turns);
  const askers = askersOf(turns);
  const saved = shown.flatMap((message): SavedMessage[] => {
    if (message.kind === "user") return [savedUser(message)];
    if (message.kind === "notice") return savedNotice(message);
    return message.depth > 0 ? [] : savedTurn(message, agents, askers);
  });
  const waiting = queue.map(({ to, text, ts }) => said("user", addresseeOf(to), text, ts));
  return inOrder([...saved, ...waiting]);
}

export function said(from: string, to: string, content: string, tsMs: number): SavedMessage {
  const agent = from === "user" || from === "system" ? to : from;
  const timestamp = toSeconds(tsMs);
  return { agent_id: agent, from_id: from, to_id: to, content, timestamp, is_observation: false };
}

/** A message that had to wait was said when it was written, and clients have seen it since. */
export function saidAt({ messageId, ts }: Pick<UserMessage, "messageId" | "ts">): number {
  const madeTs = isUlid(messageId) ? decodeTime(messageId) : ts;
  return madeTs <= ts && ts - madeTs <= QUEUED_MS_MAX ? madeTs : ts;
}

interface Addressed {
  readonly to: readonly string[];
  readonly toAll: boolean;
  readonly origin?: string | undefined;
}

export function userParts(message: Addressed): { from: string; to: string } {
  return {
    from: isIdlePrompt(message.origin) ? "system" : "user",
    to: message.toAll ? EVERYBODY : addresseeOf(message.to),
  };
}

function savedUser(message: UserMessage): SavedMessage {
  const { from, to } = userParts(message);
  return said(from, to, message.text, saidAt(message));
}

function savedTurn(turn: TurnMessage, agents: ReadonlyMap<string, TurnAgent>, askers: ReadonlyMap<string, string>) {
  const agent = agents.get(turn.turnId)?.agent ?? turn.member;
  const asker = askers.get(turn.agentExchangeId ?? "") ?? "user";
  return piecesOf(turn).map(({ text, tsMs, to = asker }) => said(agent, to, text, tsMs));
}

/** Who waits for the answers of an exchange. */
export function askersOf(turns: Iterable<TurnMessage>): Map<string, string> {
  const askers = new Map<string, string>();
  for (const turn of turns) {
    for (const block of turn.blocks) if (block.kind === "exchange") askers.set(block.agentExchangeId, turn.member);
  }
  return askers;
}

/** Notices that a person should read; the others have no words in this wire. */
export function noticeText(event: Notice["event"]): { from: string; text: string } | undefined {
  const { type } = event as { type: string };
  if (type === "minutes" && "text" in event && typeof event.text === "string") {
    return { from: "by" in event && typeof event.by === "string" ? event.by : "system", text: event.text };
  }
  const isSaid = type === "error" || type === "warning" || type === "council_paused";
  if (!isSaid || !("message" in event) || typeof event.message !== "string") return undefined;
  return { from: "system", text: event.message };
}

function savedNotice({ event, ts }: Notice): SavedMessage[] {
  const notice = noticeText(event);
  return notice === undefined ? [] : [said(notice.from, "user", notice.text, ts)];
}

/** Clients take two messages of one second with the same words for one: the later is put a second on. */
function inOrder(messages: readonly SavedMessage[]): SavedMessage[] {
  const keys = new Set<string>();
  const kept = messages.map((message) => {
    let { timestamp } = message;
    const keyAt = () => `${message.from_id}|${message.to_id}|${timestamp}|${message.content}`;
    while (keys.has(keyAt())) timestamp += 1;
    keys.add(keyAt());
    return { ...message, timestamp };
  });
  return kept.toSorted((a, b) => a.timestamp - b.timestamp);
}
