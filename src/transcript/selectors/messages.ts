/** Messages by position, with open turns filled in. A message of a page that is not in memory is undefined. */

import {
  PAGE_SIZE,
  type Delivery,
  type Head,
  type Message,
  type Page,
  type ShownMessage,
  type Transcript,
  type TurnMessage,
  type UserMessage,
  type Block,
  type ToolBlock,
} from "../model.ts";
import { own } from "../record.ts";
import { isDiscussing } from "./council.ts";

export function resolveMessage(head: Head, message: Message): ShownMessage {
  if (message.kind !== "open-turn") return message;
  const turn = own(head.openTurns, message.turnId);
  if (turn === undefined) {
    throw new Error(
      `Turn ${message.turnId} of session ${head.sessionId} has a place but is not open: the fold is inconsistent.`,
    );
  }
  return turn;
}

export function pageAt(transcript: Transcript, index: number): Page | undefined {
  const { frozen, live } = transcript;
  return index < frozen.length ? frozen[index] : live[index - frozen.length];
}

export function messageAt(transcript: Transcript, position: number): ShownMessage | undefined {
  const message = pageAt(transcript, Math.floor(position / PAGE_SIZE))?.messages[position % PAGE_SIZE];
  return message === undefined ? undefined : resolveMessage(transcript.head, message);
}

/** Positions `from` up to but not including `to`, cut to those that exist. */
export function messagesBetween(transcript: Transcript, from: number, to: number): (ShownMessage | undefined)[] {
  const first = Math.max(0, from);
  const count = Math.max(0, Math.min(to, transcript.head.messageCount) - first);
  return Array.from({ length: count }, (_, offset) => messageAt(transcript, first + offset));
}

/** Every message in memory, oldest first. */
export function* loadedMessages(transcript: Transcript): Generator<ShownMessage, void, void> {
  for (const page of [...transcript.frozen, ...transcript.live]) {
    for (const message of page?.messages ?? []) yield resolveMessage(transcript.head, message);
  }
}

/** Every message in memory, newest first. */
export function* loadedMessagesBackward(transcript: Transcript): Generator<ShownMessage, void, void> {
  for (let position = transcript.head.messageCount - 1; position >= 0; position -= 1) {
    const message = messageAt(transcript, position);
    if (message !== undefined) yield message;
  }
}

/** The turn, open or ended, if it is in memory. */
export function turnById(transcript: Transcript, turnId: string): TurnMessage | undefined {
  const open = own(transcript.head.openTurns, turnId);
  if (open !== undefined) return open;
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind === "turn" && message.turnId === turnId) return message;
  }
  return undefined;
}

/** How far a message has come, by member. */
export function deliveriesOf(head: Head, message: UserMessage): Readonly<Record<string, Delivery>> {
  return own(head.deliveries, message.messageId) ?? message.deliveries;
}

/** What an exchange opens to: the question is in its block; the answering turn has the calls that were made for it. */
type ExchangeBlock = Extract<Block, { kind: "exchange" }>;

/** The turn in which the other member answers; undefined before it has begun, and when it is not in memory. */
export function answeringTurn(transcript: Transcript, { answerTurnId }: ExchangeBlock): TurnMessage | undefined {
  return answerTurnId === undefined ? undefined : turnById(transcript, answerTurnId);
}

/** The tool calls made for the answer, in order. */
export function exchangeTools(transcript: Transcript, block: ExchangeBlock): ToolBlock[] {
  return (answeringTurn(transcript, block)?.blocks ?? []).filter((one) => one.kind === "tool");
}

/** Turns inside turns: who was sent out by whom. */
export interface SubagentNode {
  readonly turn: TurnMessage;
  /** Oldest first. */
  readonly children: readonly SubagentNode[];
}

/** The turn with all turns below it that are in memory; undefined when it is not in memory itself. */
export function subagentTree(transcript: Transcript, turnId: string): SubagentNode | undefined {
  const root = turnById(transcript, turnId);
  if (root === undefined) return undefined;
  const childrenOf = new Map<string, TurnMessage[]>();
  for (let position = root.position + 1; position < transcript.head.messageCount; position += 1) {
    const message = messageAt(transcript, position);
    if (message?.kind !== "turn" || message.parentTurnId === undefined) continue;
    const siblings = childrenOf.get(message.parentTurnId);
    if (siblings === undefined) childrenOf.set(message.parentTurnId, [message]);
    else siblings.push(message);
  }
  return nodeOf(root, childrenOf);
}

/** A parent always stands before its children, so a log that names a cycle cannot make this run for ever. */
function nodeOf(turn: TurnMessage, childrenOf: ReadonlyMap<string, readonly TurnMessage[]>): SubagentNode {
  const children = (childrenOf.get(turn.turnId) ?? []).filter((child) => child.position > turn.position);
  return { turn, children: children.map((child) => nodeOf(child, childrenOf)) };
}

/** All turns below a turn that are in memory, each before those it sent out itself, as a tree is read. */
export function subagentsBelow(transcript: Transcript, turnId: string): TurnMessage[] {
  const root = subagentTree(transcript, turnId);
  return root === undefined ? [] : root.children.flatMap(flatten);
}

function flatten({ turn, children }: SubagentNode): TurnMessage[] {
  return [turn, ...children.flatMap(flatten)];
}

/** True for a turn that was sent out by another; a member that answers another one is nobody's subagent. */
export function isSubagent({ depth, cause, agentExchangeId }: TurnMessage): boolean {
  return depth > 0 && cause !== "exchange" && agentExchangeId === undefined;
}

/** One message of the user as a question: which turns belong to it, and whether it is answered. */
/** The user's message with this id of the client, once it has left the queue. */
export function findQuestion(transcript: Transcript, clientMessageId: string): UserMessage | undefined {
  for (const message of loadedMessages(transcript)) {
    if (message.kind === "user" && message.clientMessageId === clientMessageId) return message;
  }
  return undefined;
}

/** Turns that answer the question or go back to it, and those it was steered into. */
export function belongsTo(question: UserMessage, message: ShownMessage): message is TurnMessage {
  if (message.kind !== "turn") return false;
  if (isStartedBy(question, message)) return true;
  return message.blocks.some((block) => block.kind === "steering" && block.messageId === question.messageId);
}

function isStartedBy({ messageId }: UserMessage, turn: TurnMessage): boolean {
  return turn.rootMessageId === messageId || turn.messageIds.includes(messageId);
}

/** True when no turn is open that the question started: what it still waits for is in turns of others. */
export function isLeftToOthers(transcript: Transcript, question: UserMessage): boolean {
  return !Object.values(transcript.head.openTurns).some((turn) => isStartedBy(question, turn));
}

/** True when every addressee has settled the question, no turn that goes back to it is open and its discussion is over. */
export function isAnswered(transcript: Transcript, question: UserMessage): boolean {
  const deliveries = deliveriesOf(transcript.head, question);
  const isDelivered = question.to.every((name) => {
    const state = deliveries[name]?.state;
    return state === "answered" || state === "dropped";
  });
  if (isDiscussing(transcript.head, question.messageId)) return false;
  return isDelivered && !Object.values(transcript.head.openTurns).some((turn) => belongsTo(question, turn));
}
