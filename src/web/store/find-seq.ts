/** Where in a session the message of a seq is drawn. Older pages are looked at by halves, so few of them are fetched. */
import { messageAt, PAGE_SIZE, shownPosition, type Transcript } from "../../transcript/index.ts";

export async function findSeq(
  seq: number,
  current: () => Transcript | undefined,
  loadPage: (page: number) => Promise<void>,
): Promise<number | undefined> {
  let low = 0;
  let high = (current()?.head.messageCount ?? 0) - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    await loadPage(Math.floor(middle / PAGE_SIZE));
    const transcript = current();
    const message = transcript === undefined ? undefined : messageAt(transcript, middle);
    // The session was left, or the page could not be had.
    if (message === undefined) return undefined;
    if (message.seq <= seq) low = middle;
    else high = middle - 1;
  }
  if (high < 0) return undefined;
  await loadPage(Math.floor(low / PAGE_SIZE));
  const transcript = current();
  return transcript === undefined ? undefined : shownPosition(transcript, low);
}
