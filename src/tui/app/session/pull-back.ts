/**
 * Takes a message out of the queue and makes it the draft again, before what is being written.
 * Promise: nothing of it is lost. What the draft cannot hold whole stays in the queue, and the user is told why.
 */
import type { QueueItem } from "../../../protocol/index.ts";
import { asMessage } from "../../../kit/text/command-line.ts";
import type { App } from "../app.ts";
import { mentionPrefix, wholeText } from "./resend-text.ts";

export async function pullBack(app: App, item: QueueItem | undefined): Promise<void> {
  if (item === undefined) return app.notify("Nothing is queued.");
  if (item.attachments.length > 0)
    return app.notify("It has files, which a draft cannot hold; it stays in the queue.", "warn");
  const { sessionId } = app;
  const whole = await wholeText(item, app);
  if (whole === undefined) return app.notify("Its whole text cannot be read here; it stays in the queue.", "warn");
  // Reading took a while: the next wish would go to another session, and the text into its draft.
  if (app.sessionId !== sessionId) return;
  const ack = await app.command({ type: "queue_remove", messageId: item.messageId });
  // It may have gone out in this moment; then it must not be sent again from the box.
  if (!ack.ok) return app.notify(ack.error.message, "warn");
  const draft = app.prompt.text;
  const text = mentionPrefix(item.to.includes("all") ? [] : item.to) + whole;
  app.prompt.replaceText(asMessage(draft === "" ? text : `${text}\n${draft}`));
}
