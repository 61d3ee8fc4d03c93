/** Names for the blocks of a turn, for views that draw them again as the turn grows. */
import type { Block, ToolBlock } from "../model.ts";

export interface KeyedBlock {
  readonly key: string;
  readonly block: Block;
}

/**
 * Stays the same while the turn grows; a segment that is interrupted by a tool call has several blocks. A call that
 * became a question to another member or to the user is not among them: the exchange or the request stands for it. Nor
 * is an approval about a call that is there.
 */
export function keyedBlocks(blocks: readonly Block[]): KeyedBlock[] {
  const counts = new Map<string, number>();
  const exchangeCalls = new Set(blocks.flatMap((block) => (block.kind === "exchange" ? [block.toolCallId] : [])));
  const hasQuestion = blocks.some((block) => block.kind === "request" && block.request.method !== "approval");
  const isReplaced = (tool: ToolBlock) => exchangeCalls.has(tool.toolCallId) || (hasQuestion && isQuestion(tool));
  const shown =
    exchangeCalls.size === 0 && !hasQuestion
      ? blocks
      : blocks.filter((block) => block.kind !== "tool" || !isReplaced(block));
  const calls = new Set(shown.flatMap((block) => (block.kind === "tool" ? [block.toolCallId] : [])));
  return shown
    .filter((block) => !isOnItsCall(block, calls))
    .map((block) => {
      const id = blockId(block);
      const count = counts.get(id) ?? 0;
      counts.set(id, count + 1);
      return { key: `${id}/${count}`, block };
    });
}

/** How it stands with an approval is said on the row of the call. */
function isOnItsCall(block: Block, calls: ReadonlySet<string>): boolean {
  if (block.kind !== "request" || block.request.method !== "approval" || block.toolCallId === undefined) return false;
  return calls.has(block.toolCallId);
}

/** The tools by which members ask the user, also where an agent writes a server before their name. */
const QUESTIONS = /(?:^|_)(?:user_question|ui_(?:select|confirm|input|editor))$/;

/** One that failed has asked nothing. */
function isQuestion({ name, state }: ToolBlock): boolean {
  return state !== "error" && QUESTIONS.test(name);
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
