/**
 * Text of a passage of a turn, sent whole when it ends: before a tool call and at the end of the turn. Thinking is sent
 * whole only for its first passage. Some chat panels show all thinking of a response together, others per passage;
 * later thinking is sent as chunks, which both place correctly.
 */
import type { TurnMessage } from "../../../src/transcript/index.ts";
import { idsOf } from "./map-text.ts";
import type { FrameWriter } from "./frame-writer.ts";
import { beginsWithText, spanText, spanThinking, wholeThinking } from "./turn-spans.ts";

export function closeSpan(writer: FrameWriter, turn: TurnMessage): void {
  const text = spanText(turn);
  const thinking = spanThinking(turn);
  const writeText = () => text !== "" && writer.chat("assistant_done", { text }, idsOf(turn));
  if (beginsWithText(turn)) writeText();
  if (thinking !== "" && thinking === wholeThinking(turn)) {
    writer.chat("thinking_done", { text: thinking }, idsOf(turn));
  }
  if (!beginsWithText(turn)) writeText();
}
