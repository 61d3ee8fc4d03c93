/** Full text and recipients of a queued message; removing it from the queue must lose neither. */
import type { QueueItem } from "../../protocol/index.ts";
import { DRAFT_CHARS_MAX } from "../store/local-storage.ts";
import type { PageStore } from "../store/page-store.ts";

let pull: ((item: QueueItem) => Promise<void>) | undefined;

/**
 * The queue holds only the beginning of a long text. Rejects with a message when the rest is unavailable or too long to
 * edit.
 */
export async function wholeText(store: PageStore, { text, textBlob }: QueueItem): Promise<string> {
  if (textBlob === undefined) return text;
  const whole = await (await store.readBlob(textBlob.sha256)).text();
  if (new TextEncoder().encode(whole).length !== textBlob.bytes) {
    throw new Error("The whole message could not be loaded, so it stays in the queue.");
  }
  if (whole.length <= DRAFT_CHARS_MAX) return whole;
  throw new Error("The message is too long for the box, so it stays in the queue.");
}

/** Without the mentions, a message for one member would go to everyone when sent again. */
export function mentionPrefix({ to }: QueueItem): string {
  return to.includes("all") ? "" : to.map((name) => `@${name} `).join("");
}

/** Registers how a queued message returns to the draft. */
export function setPullBack(how: ((item: QueueItem) => Promise<void>) | undefined): void {
  pull = how;
}

export async function pullBackItem(item: QueueItem): Promise<void> {
  await pull?.(item);
}
