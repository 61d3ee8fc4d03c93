/** A search whose matches are read out: the line of each, with who said it. */
import { loadedMessagesBackward, type ShownMessage, type Transcript } from "../../transcript/index.ts";
import { searchText } from "../log/search-text.ts";
import { shortened } from "./format-spoken.ts";

const LINES_MAX = 20;

export interface LineMatches {
  /** Newest first. */
  readonly lines: readonly string[];
  /** Lines that match, shown or not. */
  readonly count: number;
}

export function findLines(transcript: Transcript, query: string): LineMatches {
  const wanted = query.toLowerCase();
  const lines: string[] = [];
  let count = 0;
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.seq <= transcript.head.clearedSeq) break;
    for (const line of searchText(message).split("\n")) {
      if (!line.toLowerCase().includes(wanted)) continue;
      count += 1;
      if (lines.length < LINES_MAX) lines.push(`${speakerOf(message)}: ${shortened(line)}`);
    }
  }
  return { lines, count };
}

function speakerOf(message: ShownMessage): string {
  if (message.kind === "turn") return message.member;
  return message.kind === "user" ? "You" : "Note";
}
