/**
 * What a stretch of a turn has said, told whole when it ends: before a tool call, and at the end of the turn. Thinking
 * is told whole only where it first came up. Some of assistant's chat panels keep all thinking of a response in one
 * place, others one place for each stretch; what follows comes in pieces, which both put where they belong.
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
