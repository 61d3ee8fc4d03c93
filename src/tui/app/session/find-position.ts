/** Where in a session the message of a seq is. Older pages are looked at by halves, so few of them are fetched. */
import { messageAt, PAGE_SIZE, pageAt, type Transcript } from "../../../transcript/index.ts";

/** The message that began at this seq, or the newest before it; undefined when a page cannot be had or there is none. */
export async function findPosition(
  start: Transcript,
  seq: number,
  loadPage: (transcript: Transcript, page: number) => Promise<Transcript>,
): Promise<number | undefined> {
  let transcript = start;
  let low = 0;
  let high = transcript.head.messageCount - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const page = Math.floor(middle / PAGE_SIZE);
    if (pageAt(transcript, page) === undefined) transcript = await loadPage(transcript, page);
    const message = messageAt(transcript, middle);
    if (message === undefined) return undefined;
    if (message.seq <= seq) low = middle;
    else high = middle - 1;
  }
  return high < 0 ? undefined : low;
}
