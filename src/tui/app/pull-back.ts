/** Takes a message out of the queue and makes it the draft again, before what is being written. */
import type { QueueItem } from "../../protocol/index.ts";
import type { App } from "./app.ts";

export async function pullBack(app: App, item: QueueItem | undefined): Promise<void> {
  if (item === undefined) return app.say("Nothing is queued.");
  const ack = await app.command({ type: "queue_remove", messageId: item.messageId });
  // It may have gone out in this moment; then it must not be sent again from the box.
  if (!ack.ok) return app.say(ack.error.message, "warn");
  const draft = app.prompt.text;
  const text = addressWords(item) + item.text;
  app.prompt.replaceText(draft === "" ? text : `${text}\n${draft}`);
}

/** Without it, what was meant for one member would go to everyone when it is sent again. */
function addressWords({ to }: QueueItem): string {
  return to.includes("all") ? "" : to.map((name) => `@${name} `).join("");
}
