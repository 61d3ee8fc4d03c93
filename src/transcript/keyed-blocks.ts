/** Names for the blocks of a turn, for views that draw them again as the turn grows. */
import type { Block } from "./model.ts";

export interface KeyedBlock {
  readonly key: string;
  readonly block: Block;
}

/**
 * Stays the same while the turn grows; a segment that is interrupted by a tool call has several blocks. A call that
 * became a question to another member is not among them: the exchange stands for it.
 */
export function keyedBlocks(blocks: readonly Block[]): KeyedBlock[] {
  const counts = new Map<string, number>();
  const asked = new Set(blocks.flatMap((block) => (block.kind === "exchange" ? [block.toolCallId] : [])));
  const shown =
    asked.size === 0 ? blocks : blocks.filter((block) => block.kind !== "tool" || !asked.has(block.toolCallId));
  return shown.map((block) => {
    const id = blockId(block);
    const count = counts.get(id) ?? 0;
    counts.set(id, count + 1);
    return { key: `${id}/${count}`, block };
  });
}

function blockId(block: Block): string {
  switch (block.kind) {
    case "text":
    case "thinking":
      return `${block.kind} ${block.segmentId}`;
    case "tool":
      return `tool ${block.toolCallId}`;
    case "request":
      return `request ${block.requestId}`;
    case "exchange":
      return `exchange ${block.agentExchangeId}`;
    case "subagent":
      return `subagent ${block.subagentTurnId}`;
    case "plan":
      return `plan ${block.planId}`;
    case "event":
      return `event ${block.event.id}`;
    default:
      return block.kind;
  }
}
