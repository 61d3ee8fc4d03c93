/** What a queued message says, whole, and whom it is for: what is taken out of the queue must lose neither. */
import type { QueueItem } from "../../protocol/index.ts";
import { DRAFT_CHARS_MAX } from "../store/local-storage.ts";
import type { PageStore } from "../store/page-store.ts";

let pull: ((item: QueueItem) => Promise<void>) | undefined;

/** The queue holds the beginning of a long text only. Rejects with a sentence when the rest cannot be had or written on. */
export async function wholeText(store: PageStore, { text, textBlob }: QueueItem): Promise<string> {
  if (textBlob === undefined) return text;
  const whole = await (await store.readBlob(textBlob.sha256)).text();
  if (new TextEncoder().encode(whole).length !== textBlob.bytes) {
    throw new Error("The message could not be fetched whole; it stays in the queue.");
  }
  if (whole.length <= DRAFT_CHARS_MAX) return whole;
  throw new Error("The message is too long for the draft; it stays in the queue.");
}

/** Without it, what was meant for one member would go to everyone when it is sent again. */
export function mentionPrefix({ to }: QueueItem): string {
  return to.includes("all") ? "" : to.map((name) => `@${name} `).join("");
}

/** The way of a queued message back into the draft, for whoever shows the queue. */
export function setPullBack(how: ((item: QueueItem) => Promise<void>) | undefined): void {
  pull = how;
}

export async function pullBackItem(item: QueueItem): Promise<void> {
  await pull?.(item);
}
