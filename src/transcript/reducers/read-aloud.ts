/** A turn that was being read aloud when it was stopped says how far that had come. */
import type { EventOf } from "../../protocol/index.ts";
import type { Message, Transcript, TurnMessage } from "../model.ts";
import { findLive, replaceMessage } from "../pages.ts";

export function markReadAloud(transcript: Transcript, event: EventOf<"output_cancelled">): Transcript {
  const { audioTruncatedAtMs, turnIds } = event;
  const turnId = event.audioTurnId ?? (turnIds.length === 1 ? turnIds[0] : undefined);
  if (audioTruncatedAtMs === undefined || turnId === undefined || !turnIds.includes(turnId)) return transcript;
  const isIt = (message: Message): message is TurnMessage => message.kind === "turn" && message.turnId === turnId;
  const turn = findLive(transcript, isIt);
  if (turn?.end === undefined) return transcript;
  return replaceMessage(transcript, turn.position, { ...turn, end: { ...turn.end, audioTruncatedAtMs } });
}
