/**
 * Signals activity without text. The chat panel shows that an agent works, and lets the user stop it, only after an
 * event that counts as work, and not after the end of any turn or text. An empty chunk without a response counts as
 * work and draws nothing.
 */
import type { Transcript, TurnMessage } from "../../../src/transcript/index.ts";
import type { ChatEvent, ChatEventType } from "./chat-event.ts";
import type { FrameWriter } from "./frame-writer.ts";

const WORK: ReadonlySet<ChatEventType> = new Set(["user_message", "assistant_chunk", "thinking_chunk", "tool_call"]);
const REST: ReadonlySet<ChatEventType> = new Set(["assistant_done", "turn_end", "interrupt", "error"]);

/** After the frames of an event: while turns are open, the panel must not look idle. */
export function ensureBusy(writer: FrameWriter, before: Transcript, after: Transcript): void {
  const open = Object.values(after.head.openTurns);
  if (open.length === 0) return;
  let isAtRest = Object.keys(before.head.openTurns).length === 0;
  for (const { frame } of writer.frames) {
    if (frame.type === "output_cancelled") isAtRest = true;
    if (frame.type !== "chat_event") continue;
    if (WORK.has(frame.event.type)) isAtRest = false;
    else if (REST.has(frame.event.type)) isAtRest = true;
  }
  if (isAtRest) writeBusy(writer, open);
}

export function writeBusy(writer: FrameWriter, [turn]: readonly TurnMessage[]): void {
  if (turn !== undefined) writer.chat("assistant_chunk", { text: "" }, { turnId: turn.turnId });
}

export function isBusyEvent({ type, responseId }: ChatEvent): boolean {
  return type === "assistant_chunk" && responseId === undefined;
}
