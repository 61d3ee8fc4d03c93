/** Sending and stopping, with the words that tell what came of it. */
import { stillRunning } from "../../../client/index.ts";
import { asMessage } from "../../../kit/text/command-line.ts";
import type { BlobRef, QueueItem } from "../../../protocol/index.ts";
import { heldMembers, isHeld } from "../../../transcript/index.ts";
import type { AppContext } from "../app-context.ts";
import type { ScreenOptions } from "../options.ts";
import { formatSendResult, formatStopped, interruptResult } from "./format-outcome.ts";

export async function sendMessage(app: AppContext, text: string, how: "send" | "queue"): Promise<void> {
  app.log.toEnd();
  // A refused message must not be lost: it is the draft again, unless another was begun meanwhile.
  const files = app.attached.consume();
  const giveBack = () => {
    files.putBack();
    if (app.prompt.text === "") app.prompt.setText(asMessage(text));
  };
  const ack = await app.conversation.send(text, how, files.upload).catch((error: unknown) => {
    giveBack();
    throw error;
  });
  const message = formatSendResult(ack);
  if (message !== "") app.notify(message, ack.ok ? "dim" : "bad");
  if (!ack.ok) giveBack();
}

/** Resolves with the turns it has named as started elsewhere: they run on until they are stopped too. */
export async function interruptTurns(app: AppContext, scope: "own" | "all"): Promise<readonly string[]> {
  const ack = await app.command({ type: "interrupt", scope });
  if (!ack.ok) {
    app.notify(ack.error.message, "bad");
    return [];
  }
  // What was said of a message that waited for them is not so any more.
  app.clearNotes();
  const { others, ...stopped } = interruptResult(ack.result);
  const done = formatStopped(stopped);
  if (others.length === 0) {
    if (done !== "") app.notify(done);
    return [];
  }
  const them = new Set(others.map(({ member }) => member)).size === 1 ? "it" : "them";
  app.notify(`${done} ${stillRunning(others)} Press Esc again to stop ${them}.`.trim(), "warn");
  return others.map(({ turnId }) => turnId);
}

/** A message of the user as it has to stand in the draft to be sent again. */
interface SentMessage {
  readonly text: string;
  readonly textBlob?: BlobRef | undefined;
}

/** Of a long text an event holds the beginning only. Undefined when the rest cannot be had. */
export async function wholeText(
  { text, textBlob }: SentMessage,
  { sessionId, readText }: { readonly sessionId: string | undefined; readonly readText: ScreenOptions["readText"] },
): Promise<string | undefined> {
  if (textBlob === undefined) return text;
  return sessionId === undefined ? undefined : await readText?.(sessionId, textBlob.sha256);
}

/** Without it, what was meant for one member would go to everyone when it is sent again. */
export function mentionPrefix(names: readonly string[]): string {
  return names.map((name) => `@${name} `).join("");
}

/**
 * Takes a message out of the queue and makes it the draft again, before what is being written.
 * Promise: nothing of it is lost. What the draft cannot hold whole stays in the queue, and the user is told why.
 */
export async function pullBack(app: AppContext, item: QueueItem | undefined): Promise<void> {
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

/** Lets go what is held after a stop: the first of the queue, which the others follow, or what members had been given. */
export async function sendHeld(app: AppContext): Promise<void> {
  const head = app.transcript?.head;
  if (head === undefined) return;
  const item = head.queue.find((one) => isHeld(head, one));
  if (item === undefined && heldMembers(head).length === 0) return;
  const ack = await app.command(
    item === undefined ? { type: "continue" } : { type: "queue_promote", messageId: item.messageId },
  );
  if (!ack.ok) app.notify([ack.error.message, ack.error.hint].filter(Boolean).join(" "), "warn");
}
