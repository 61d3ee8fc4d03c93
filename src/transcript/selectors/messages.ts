/** Messages by position, with open turns filled in. Undefined for a message whose page is not in memory. */

import { PAGE_SIZE, type Head, type Page, type Transcript } from "../model.ts";
import type { Delivery, Message, ShownMessage, TurnMessage, UserMessage, Block, ToolBlock } from "../messages.ts";
import { own } from "../record.ts";
import { isDiscussing } from "./council.ts";

export function resolveMessage(head: Head, message: Message): ShownMessage {
  if (message.kind !== "open-turn") return message;
  const turn = own(head.openTurns, message.turnId);
  if (turn === undefined) {
    throw new Error(
      `Turn ${message.turnId} of session ${head.sessionId} has a placeholder but is not open: the fold is inconsistent.`,
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

/** Positions `from` up to but not including `to`, limited to existing ones. */
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

/** Open or ended; undefined when it is not in memory. */
export function turnById(transcript: Transcript, turnId: string): TurnMessage | undefined {
  const open = own(transcript.head.openTurns, turnId);
  if (open !== undefined) return open;
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind === "turn" && message.turnId === turnId) return message;
  }
  return undefined;
}

/** Delivery state of a message, by member. */
export function deliveriesOf(head: Head, message: UserMessage): Readonly<Record<string, Delivery>> {
  return own(head.deliveries, message.messageId) ?? message.deliveries;
}

type ExchangeBlock = Extract<Block, { kind: "exchange" }>;

/** The turn that answers the exchange; undefined before it has started, and when it is not in memory. */
export function answeringTurn(transcript: Transcript, { answerTurnId }: ExchangeBlock): TurnMessage | undefined {
  return answerTurnId === undefined ? undefined : turnById(transcript, answerTurnId);
}

/** Tool calls of the answering turn, in order. */
export function exchangeTools(transcript: Transcript, block: ExchangeBlock): ToolBlock[] {
  return (answeringTurn(transcript, block)?.blocks ?? []).filter((one) => one.kind === "tool");
}

/** A turn and the subagents it has sent. */
export interface SubagentNode {
  readonly turn: TurnMessage;
  /** Oldest first. */
  readonly children: readonly SubagentNode[];
}

/** The turn with all subagents below it that are in memory; undefined when it is not in memory itself. */
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

/** A parent always precedes its children, so a cycle in the log cannot loop forever. */
function nodeOf(turn: TurnMessage, childrenOf: ReadonlyMap<string, readonly TurnMessage[]>): SubagentNode {
  const children = (childrenOf.get(turn.turnId) ?? []).filter((child) => child.position > turn.position);
  return { turn, children: children.map((child) => nodeOf(child, childrenOf)) };
}

/** All subagents below a turn that are in memory, in depth-first order. */
export function subagentsBelow(transcript: Transcript, turnId: string): TurnMessage[] {
  const root = subagentTree(transcript, turnId);
  return root === undefined ? [] : root.children.flatMap(flatten);
}

function flatten({ turn, children }: SubagentNode): TurnMessage[] {
  return [turn, ...children.flatMap(flatten)];
}

/** True for a turn sent by another turn; a member that answers another member is no subagent. */
export function isSubagent({ depth, cause, agentExchangeId }: TurnMessage): boolean {
  return depth > 0 && cause !== "exchange" && agentExchangeId === undefined;
}

/** The user message with this client id, once it has left the queue. */
export function findQuestion(transcript: Transcript, clientMessageId: string): UserMessage | undefined {
  for (const message of loadedMessages(transcript)) {
    if (message.kind === "user" && message.clientMessageId === clientMessageId) return message;
  }
  return undefined;
}

/** Turns that answer the question or follow from it, and those it was steered into. */
export function belongsTo(question: UserMessage, message: ShownMessage): message is TurnMessage {
  if (message.kind !== "turn") return false;
  if (isStartedBy(question, message)) return true;
  return message.blocks.some((block) => block.kind === "steering" && block.messageId === question.messageId);
}

function isStartedBy({ messageId }: UserMessage, turn: TurnMessage): boolean {
  return turn.rootMessageId === messageId || turn.messageIds.includes(messageId);
}

/** True when no turn started by the question is open: what remains is in turns of others. */
export function isLeftToOthers(transcript: Transcript, question: UserMessage): boolean {
  return !Object.values(transcript.head.openTurns).some((turn) => isStartedBy(question, turn));
}

/**
 * True when every addressee has settled the question, no turn that follows from it is open and its discussion is over.
 */
export function isAnswered(transcript: Transcript, question: UserMessage): boolean {
  const deliveries = deliveriesOf(transcript.head, question);
  const isDelivered = question.to.every((name) => {
    const state = deliveries[name]?.state;
    return state === "answered" || state === "dropped";
  });
  if (isDiscussing(transcript.head, question.messageId)) return false;
  return isDelivered && !Object.values(transcript.head.openTurns).some((turn) => belongsTo(question, turn));
}
