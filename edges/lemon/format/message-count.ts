/** Number of messages of a session on this wire: user messages, answer segments and tool results. */
import { loadedMessages, type Transcript, type TurnMessage } from "../../../src/transcript/index.ts";
import type { Counted } from "./lines.ts";
import { slotsOf } from "./turn-slots.ts";

/** A turn that is no longer in memory counts as one message. */
export function messageCount(transcript: Transcript, before: Counted): number {
  const { head } = transcript;
  const shown = [...loadedMessages(transcript)].filter((one) => one.seq > head.clearedSeq);
  const users = shown.filter((one) => one.kind === "user").length;
  const turns = shown.filter((one): one is TurnMessage => one.kind === "turn");
  const all = head.userCount - before.users + head.turnCount - before.turns;
  const unloaded = Math.max(0, all - users - turns.length);
  return unloaded + users + turns.reduce((sum, turn) => sum + messagesIn(turn), 0);
}

function messagesIn(turn: TurnMessage): number {
  const slots = slotsOf(turn, undefined);
  const results = slots.filter((slot) => slot.tool?.settled !== undefined);
  return Math.max(1, slots.length + results.length);
}
