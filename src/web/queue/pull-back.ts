/** The way of a queued message back into the draft, for whoever shows the queue. */
import type { QueueItem } from "../../protocol/index.ts";

let pull: ((item: QueueItem) => Promise<void>) | undefined;

export function setPullBack(how: ((item: QueueItem) => Promise<void>) | undefined): void {
  pull = how;
}

export async function pullBackItem(item: QueueItem): Promise<void> {
  await pull?.(item);
}
