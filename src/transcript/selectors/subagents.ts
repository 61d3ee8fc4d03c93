/** Turns inside turns: who was sent out by whom. */
import type { Transcript, TurnMessage } from "../model.ts";
import { messageAt, turnById } from "./messages.ts";

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
