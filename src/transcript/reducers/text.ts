/** Text and thinking segments of an open turn. `text_done` takes precedence over deltas, before and after it. */
import type { EventOf } from "../../protocol/index.ts";
import type { Block, TurnMessage } from "../messages.ts";
import { addBlock, replaceBlock } from "./open-turns.ts";
import { omit } from "../record.ts";

export function appendText(turn: TurnMessage, event: EventOf<"text_delta">): TurnMessage {
  const { segmentId, text } = event;
  const index = segmentIndex(turn.blocks, segmentId);
  const block = turn.blocks[index];
  if (block === undefined) {
    return addBlock(leaveThinking(turn), { kind: "text", segmentId, text, done: false, interrupted: false });
  }
  if (block.kind !== "text" || block.done) return turn;
  const grown: Block = { kind: "text", segmentId, text: block.text + text, done: false, interrupted: false };
  return replaceBlock(leaveThinking(turn), index, grown);
}

export function closeText(turn: TurnMessage, event: EventOf<"text_done">): TurnMessage {
  const { segmentId, text, interrupted } = event;
  return putSegment(leaveThinking(turn), {
    kind: "text",
    segmentId,
    text,
    done: true,
    interrupted: interrupted === true,
  });
}

/** The agent repeats a broken stream: the text of this segment is removed. */
export function retractText(turn: TurnMessage, event: EventOf<"text_retracted">): TurnMessage {
  const index = segmentIndex(turn.blocks, event.segmentId);
  return index === -1 ? turn : { ...turn, blocks: turn.blocks.toSpliced(index, 1) };
}

export function startThinking(turn: TurnMessage, event: EventOf<"thinking_start">): TurnMessage {
  const { segmentId } = event;
  if (segmentIndex(turn.blocks, segmentId) !== -1) return enterThinking(turn);
  return addBlock(enterThinking(turn), { kind: "thinking", segmentId, text: "", done: false, startTs: event.ts });
}

export function appendThinking(turn: TurnMessage, event: EventOf<"thinking_delta">): TurnMessage {
  const { segmentId, text } = event;
  const index = segmentIndex(turn.blocks, segmentId);
  const block = turn.blocks[index];
  if (block === undefined) {
    // Deltas of a batch are joined, so the time of a delta is not the same live and later.
    return addBlock(enterThinking(turn), { kind: "thinking", segmentId, text, done: false });
  }
  if (block.kind !== "thinking" || block.done) return turn;
  return replaceBlock(enterThinking(turn), index, { ...block, text: block.text + text });
}

export function closeThinking(turn: TurnMessage, event: EventOf<"thinking_done">): TurnMessage {
  const { segmentId, text, ts } = event;
  const known = turn.blocks[segmentIndex(turn.blocks, segmentId)];
  const began = known?.kind === "thinking" && known.startTs !== undefined ? { startTs: known.startTs } : {};
  return putSegment(leaveThinking(turn), { kind: "thinking", segmentId, text, done: true, ...began, endTs: ts });
}

/** Ends thinking and clears the status, which was about it. */
export function leaveThinking(turn: TurnMessage): TurnMessage {
  return isFresh(turn) && !turn.isThinking ? turn : { ...omit(turn, "status", "retrying"), isThinking: false };
}

function enterThinking(turn: TurnMessage): TurnMessage {
  return isFresh(turn) && turn.isThinking ? turn : { ...omit(turn, "status", "retrying"), isThinking: true };
}

function isFresh(turn: TurnMessage): boolean {
  return turn.status === undefined && turn.retrying === undefined;
}

function putSegment(turn: TurnMessage, block: Extract<Block, { segmentId: string }>): TurnMessage {
  const index = segmentIndex(turn.blocks, block.segmentId);
  return index === -1 ? addBlock(turn, block) : replaceBlock(turn, index, block);
}

/** From the end: the growing segment is nearly always the last block. */
function segmentIndex(blocks: readonly Block[], segmentId: string): number {
  for (let index = blocks.length - 1; index >= 0; index -= 1) {
    const block = blocks[index];
    if ((block?.kind === "text" || block?.kind === "thinking") && block.segmentId === segmentId) return index;
  }
  return -1;
}
