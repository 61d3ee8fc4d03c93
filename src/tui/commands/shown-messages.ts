/** The messages in memory that the session still shows, oldest first; what a reset has put behind it is left out. */
import { loadedMessages, type ShownMessage, type Transcript, type TurnMessage } from "../../transcript/index.ts";

export function shownMessages(transcript: Transcript): ShownMessage[] {
  return [...loadedMessages(transcript)].filter((message) => message.seq > transcript.head.clearedSeq);
}

/** How many messages lie in pages that are not in memory. */
export function countAbsent(transcript: Transcript): number {
  let loaded = 0;
  for (const page of [...transcript.frozen, ...transcript.live]) loaded += page?.messages.length ?? 0;
  return Math.max(0, transcript.head.messageCount - loaded);
}

export function shownTurns(transcript: Transcript): TurnMessage[] {
  return shownMessages(transcript).filter((message) => message.kind === "turn");
}
