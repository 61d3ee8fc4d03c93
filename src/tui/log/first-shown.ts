/**
 * Where the shown part of a session begins. What lies before the last `session_clear` is not shown; when the page that
 * holds it is not in memory, the search goes on once it is.
 */
import { PAGE_SIZE, pageAt, type Transcript } from "../../transcript/index.ts";

export interface FirstShown {
  readonly clearedSeq: number;
  /** The first position that is shown; 0 until the clear has been found. */
  readonly position: number;
  readonly isResolved: boolean;
  /** The pages from here on lie after the clear. */
  readonly fromPage: number;
}

export const nothingCleared: FirstShown = { clearedSeq: 0, position: 0, isResolved: true, fromPage: 0 };

/** Costs nothing when neither the clear nor the pages in question have changed. */
export function findFirstShown(before: FirstShown, transcript: Transcript): FirstShown {
  const { clearedSeq, messageCount } = transcript.head;
  if (clearedSeq === 0) return nothingCleared;
  const isSame = before.clearedSeq === clearedSeq;
  if (isSame && before.isResolved) return before;
  let page = isSame ? before.fromPage : Math.ceil(messageCount / PAGE_SIZE);
  while (page > 0) {
    const messages = pageAt(transcript, page - 1)?.messages;
    if (messages === undefined) break;
    const at = messages.findLastIndex((message) => message.kind === "notice" && message.seq === clearedSeq);
    if (at !== -1) {
      return { clearedSeq, position: (page - 1) * PAGE_SIZE + at + 1, isResolved: true, fromPage: page - 1 };
    }
    page -= 1;
  }
  return { clearedSeq, position: 0, isResolved: page === 0, fromPage: page };
}
