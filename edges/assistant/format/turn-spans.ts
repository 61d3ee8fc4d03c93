/**
 * Output of a turn so far, split as in assistant's chat panel: text and thinking continue until the next tool
 * call. Our segments inside such a passage are separated by an empty line.
 */
import { joinSegments, type Block, type TurnMessage } from "../../../src/transcript/index.ts";

export const SEPARATOR = "\n\n";

/** The text since the last tool call. */
export function spanText(turn: TurnMessage): string {
  return joined(lastSpan(turn), "text");
}

/** The thinking since the last tool call. */
export function spanThinking(turn: TurnMessage): string {
  return joined(lastSpan(turn), "thinking");
}

/** Whether text preceded thinking since the last tool call. */
export function beginsWithText(turn: TurnMessage): boolean {
  return lastSpan(turn).find((block) => isSegment(block) && block.text !== "")?.kind === "text";
}

function lastSpan({ blocks }: TurnMessage): readonly Block[] {
  return blocks.slice(blocks.findLastIndex(isTool) + 1);
}

/** Everything, exactly as the joined deltas. */
export function wholeText({ blocks }: TurnMessage): string {
  let whole = "";
  let span: Block[] = [];
  for (const block of blocks) {
    if (!isTool(block)) span.push(block);
    else {
      whole += joined(span, "text");
      span = [];
    }
  }
  return whole + joined(span, "text");
}

export function wholeThinking({ blocks }: TurnMessage): string {
  return joined(blocks, "thinking");
}

export function hasThinking(turn: TurnMessage | undefined): boolean {
  return turn?.blocks.some((block) => block.kind === "thinking") ?? false;
}

export function segmentText(turn: TurnMessage | undefined, segmentId: string): string {
  const block = turn?.blocks.findLast((one) => isSegment(one) && one.segmentId === segmentId);
  return block !== undefined && isSegment(block) ? block.text : "";
}

function isSegment(block: Block): block is Extract<Block, { segmentId: string }> {
  return block.kind === "text" || block.kind === "thinking";
}

function isTool(block: Block): boolean {
  return block.kind === "tool";
}

function joined(blocks: readonly Block[], kind: "text" | "thinking"): string {
  return joinSegments(blocks.map((block) => (block.kind === kind ? block.text : "")));
}
