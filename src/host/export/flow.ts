/**
 * Messages in session order, with turns of subagents and of asked members nested in the turn that sent or asked them.
 * The lookahead is bounded: a turn that starts later than that is not nested.
 */
import type { Notice, ShownMessage, TurnMessage, UserMessage } from "../../transcript/index.ts";

const LOOKAHEAD_MESSAGES = 256;
/** User messages on both sides of an item that are known while it is emitted. */
const USER_MESSAGES_MAX = 2 * LOOKAHEAD_MESSAGES;
/** Deeper turns are placed beside their parent. */
const NESTED_MAX = 8;

export interface TurnNode {
  readonly kind: "turn";
  readonly turn: TurnMessage;
  readonly children: readonly TurnNode[];
  /** User messages around it by id, for those that it was steered with: they follow it. */
  readonly userMessages: ReadonlyMap<string, UserMessage>;
}

export type FlowItem = { readonly kind: "user"; readonly message: UserMessage } | TurnNode | Notice;

interface OpenNode extends TurnNode {
  readonly children: OpenNode[];
  readonly level: number;
  readonly parent?: OpenNode;
}

export interface Flow {
  /** Items that are complete now. */
  push(message: ShownMessage): FlowItem[];
  /** The remaining items. */
  end(): FlowItem[];
}

export function createFlow(): Flow {
  let waiting: { readonly item: FlowItem; readonly at: number }[] = [];
  const nodes = new Map<string, OpenNode>();
  const userMessages = new Map<string, UserMessage>();
  let count = 0;

  function remember(message: UserMessage): void {
    userMessages.set(message.messageId, message);
    const [oldest] = userMessages.keys();
    if (userMessages.size > USER_MESSAGES_MAX && oldest !== undefined) userMessages.delete(oldest);
  }

  function itemOf(message: ShownMessage): FlowItem | undefined {
    if (message.kind === "user") {
      remember(message);
      return { kind: "user", message };
    }
    if (message.kind === "notice") return message;
    const parent = message.parentTurnId === undefined ? undefined : nodes.get(message.parentTurnId);
    const holder = parent !== undefined && parent.level >= NESTED_MAX ? parent.parent : parent;
    const node: OpenNode = {
      kind: "turn",
      turn: message,
      children: [],
      userMessages,
      level: (holder?.level ?? 0) + 1,
      ...(holder === undefined ? {} : { parent: holder }),
    };
    nodes.set(message.turnId, node);
    if (holder === undefined) return node;
    holder.children.push(node);
    return undefined;
  }

  function forget({ turn, children }: TurnNode): void {
    nodes.delete(turn.turnId);
    for (const child of children) forget(child);
  }

  return {
    push(message) {
      count += 1;
      const item = itemOf(message);
      if (item !== undefined) waiting.push({ item, at: count });
      const ready = waiting.filter(({ at }) => at <= count - LOOKAHEAD_MESSAGES).map((one) => one.item);
      if (ready.length > 0) waiting = waiting.slice(ready.length);
      for (const one of ready) if (one.kind === "turn") forget(one);
      return ready;
    },
    end() {
      const ready = waiting.map(({ item }) => item);
      waiting = [];
      nodes.clear();
      return ready;
    },
  };
}
