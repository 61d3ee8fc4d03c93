/** Lets go what is held after a stop: the first of the queue, which the others follow, or what members had been given. */
import { heldMembers, isHeld } from "../../../transcript/index.ts";
import type { App } from "../app.ts";

export async function sendHeld(app: App): Promise<void> {
  const head = app.transcript?.head;
  if (head === undefined) return;
  const item = head.queue.find((one) => isHeld(head, one));
  if (item === undefined && heldMembers(head).length === 0) return;
  const ack = await app.command(
    item === undefined ? { type: "continue" } : { type: "queue_promote", messageId: item.messageId },
  );
  if (!ack.ok) app.notify([ack.error.message, ack.error.hint].filter(Boolean).join(" "), "warn");
}
