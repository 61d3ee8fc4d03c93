/** Streamed text and thinking: each chunk as a legacy frame and as a chat event. */
import type { EventOf } from "../../../src/protocol/index.ts";
import type { TurnMessage } from "../../../src/transcript/index.ts";
import type { FrameWriter } from "./frame-writer.ts";
import { hasThinking, segmentText, SEPARATOR, spanText, wholeThinking } from "./turn-spans.ts";

export interface TurnChange {
  readonly before: TurnMessage | undefined;
  readonly after: TurnMessage | undefined;
}

type TextEvent = EventOf<"text_delta" | "text_done" | "text_retracted">;
type ThinkingEvent = EventOf<"thinking_start" | "thinking_delta" | "thinking_done">;

export function mapText(writer: FrameWriter, event: TextEvent, { before, after }: TurnChange): void {
  if (before === undefined || after === undefined || before === after) return;
  const { segmentId } = event;
  if (event.type === "text_retracted") return retract(writer, { before, after });
  const had = segmentText(before, segmentId);
  const has = segmentText(after, segmentId);
  if (has.startsWith(had)) return writeDelta(writer, after, deltaOf(had, has, [spanText(before), spanText(after)]));
  // The complete text differs from the deltas and replaces them.
  writer.chat("assistant_done", { text: spanText(after) }, idsOf(after));
}

export function mapThinking(writer: FrameWriter, event: ThinkingEvent, { before, after }: TurnChange): void {
  if (before === undefined || after === undefined || before === after) return;
  if (!hasThinking(before) && hasThinking(after)) writer.send({ type: "thinking_start", ...responseOf(writer, after) });
  const had = segmentText(before, event.segmentId);
  const has = segmentText(after, event.segmentId);
  if (!has.startsWith(had)) return;
  const delta = deltaOf(had, has, [wholeThinking(before), wholeThinking(after)]);
  if (delta === "") return;
  writer.send({ type: "thinking_delta", delta, ...responseOf(writer, after) });
  writer.chat("thinking_chunk", { text: delta }, idsOf(after));
}

/** New text of a segment; the first chunk of a later one includes the separator. */
function deltaOf(had: string, has: string, [spanBefore, spanAfter]: readonly [before: string, after: string]): string {
  if (had !== "" || has === "") return has.slice(had.length);
  return spanAfter.startsWith(spanBefore) ? spanAfter.slice(spanBefore.length) : `${SEPARATOR}${has}`;
}

function writeDelta(writer: FrameWriter, turn: TurnMessage, delta: string): void {
  if (delta === "") return;
  writer.send({ type: "text_delta", delta, ...responseOf(writer, turn) });
  writer.chat("assistant_chunk", { text: delta }, idsOf(turn));
}

/** A sent chunk cannot be retracted, but a complete text replaces it. */
function retract(writer: FrameWriter, { before, after }: { before: TurnMessage; after: TurnMessage }): void {
  if (spanText(before) !== spanText(after)) writer.chat("assistant_done", { text: spanText(after) }, idsOf(after));
  if (wholeThinking(before) !== wholeThinking(after)) {
    writer.chat("thinking_done", { text: wholeThinking(after) }, idsOf(after));
  }
}

export function idsOf({ turnId }: TurnMessage): { turnId: string; responseId: string } {
  return { turnId, responseId: turnId };
}

export function responseOf(
  { sessionId }: FrameWriter,
  { turnId, agentExchangeId }: TurnMessage,
): { responseId: string; sessionId: string; agentExchangeId?: string } {
  return { responseId: turnId, sessionId, ...(agentExchangeId === undefined ? {} : { agentExchangeId }) };
}
