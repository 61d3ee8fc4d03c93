/** Sending, interrupting, and returning queued messages to the draft. */
import { asMessage } from "../../../kit/text/command-line.ts";
import { formatList } from "../../../kit/text/format.ts";
import type { BlobRef, QueueItem } from "../../../protocol/index.ts";
import { heldMembers, isHeld } from "../../../transcript/index.ts";
import type { AppContext } from "../app-context.ts";
import type { ScreenOptions } from "../options.ts";
import { formatSendResult, formatStopped, interruptResult } from "./format-outcome.ts";

export async function sendMessage(app: AppContext, text: string, how: "send" | "queue"): Promise<void> {
  app.log.toEnd();
  // A rejected message returns to the draft, unless another was started meanwhile.
  const files = app.attached.consume();
  const giveBack = () => {
    files.putBack();
    if (app.prompt.text === "") app.prompt.setText(asMessage(text));
  };
  const to = app.addressing.to(text);
  app.addressing.reset();
  const ack = await app.conversation.send(text, how, { upload: files.upload, to }).catch((error: unknown) => {
    giveBack();
    throw error;
  });
  const message = formatSendResult(ack);
  if (message !== "") app.notify(message, ack.ok ? "quiet" : "bad");
  if (!ack.ok) giveBack();
}

/** What was written beside an approval; it leaves the draft alone. */
export function sendNote(app: AppContext, member: string, text: string): void {
  app.conversation.send(text, "send", { to: [member] }).then(
    (ack) => {
      const message = formatSendResult(ack);
      if (message !== "") app.notify(message, ack.ok ? "quiet" : "bad");
    },
    (error: unknown) => app.fail(error),
  );
}

/** Resolves with the turns reported as started by other clients; they keep running until they are interrupted too. */
export async function interruptTurns(app: AppContext, scope: "own" | "all"): Promise<readonly string[]> {
  const ack = await app.command({ type: "interrupt", scope });
  if (!ack.ok) {
    app.notify(ack.error.message, "bad");
    return [];
  }
  // The notice about a message waiting for them is outdated.
  app.clearNotes();
  const { others, ...stopped } = interruptResult(ack.result);
  const done = formatStopped(stopped);
  if (others.length === 0) {
    const returned = await pullBackAll(app);
    if (done !== "") app.notify([`${app.theme.glyph("stopped")} ${done}`, returned].filter(Boolean).join(" "), "text");
    return [];
  }
  const them = formatList([...new Set(others.map(({ member }) => member))]);
  app.notify(`${done} Started from another screen. Press Esc again to stop ${them}.`.trim(), "ask");
  return others.map(({ turnId }) => turnId);
}

/** After a stop nothing goes out by itself: what was queued returns to the box, the first first. */
async function pullBackAll(app: AppContext): Promise<string> {
  let count = 0;
  for (const item of (app.transcript?.head.queue ?? []).toReversed()) {
    if ((await takeBack(app, item)) === undefined) count += 1;
  }
  if (count === 0) return "";
  return count === 1 ? "Your queued message is back in the box." : "Your queued messages are back in the box.";
}

/** The parts of a sent message that are needed to send it again. */
interface SentMessage {
  readonly text: string;
  readonly textBlob?: BlobRef | undefined;
}

/** Long texts are truncated in the event and stored as a blob. Undefined when the blob is unavailable. */
export async function wholeText(
  { text, textBlob }: SentMessage,
  { sessionId, readText }: { readonly sessionId: string | undefined; readonly readText: ScreenOptions["readText"] },
): Promise<string | undefined> {
  if (textBlob === undefined) return text;
  return sessionId === undefined ? undefined : await readText?.(sessionId, textBlob.sha256);
}

/** Without the mentions, a message for one member would go to everyone when sent again. */
export function mentionPrefix(names: readonly string[]): string {
  return names.map((name) => `@${name} `).join("");
}

/**
 * Moves a message from the queue to the front of the draft. Nothing is lost: a message that the draft cannot hold
 * completely stays in the queue, with a notice.
 */
export async function pullBack(app: AppContext, item: QueueItem | undefined): Promise<void> {
  if (item === undefined) return app.notify("Nothing is queued.");
  const problem = await takeBack(app, item);
  if (problem !== undefined && problem !== "") app.notify(problem, "ask");
}

/** Undefined when it is in the draft; else why not, empty when the session is no longer shown. */
async function takeBack(app: AppContext, item: QueueItem): Promise<string | undefined> {
  if (item.attachments.length > 0) return "This message has files, which a draft cannot hold; it stays in the queue.";
  const { sessionId } = app;
  const whole = await wholeText(item, app);
  if (whole === undefined) return "The full text of this message cannot be read here; it stays in the queue.";
  // Another session was opened while the text was read; the removal would go to that one.
  if (app.sessionId !== sessionId) return "";
  const ack = await app.command({ type: "queue_remove", messageId: item.messageId });
  // It may just have been sent, and must not be sent twice.
  if (!ack.ok) return ack.error.message;
  const draft = app.prompt.text;
  const text = mentionPrefix(item.to.includes("all") ? [] : item.to) + whole;
  app.prompt.replaceText(asMessage(draft === "" ? text : `${text}\n${draft}`));
  return undefined;
}

/**
 * Releases what a stop has held: the first queued message, which the others follow, or the pending input of members.
 */
export async function sendHeld(app: AppContext): Promise<void> {
  const head = app.transcript?.head;
  if (head === undefined) return;
  const item = head.queue.find((one) => isHeld(head, one));
  if (item === undefined && heldMembers(head).length === 0) return;
  const ack = await app.command(
    item === undefined ? { type: "continue" } : { type: "queue_promote", messageId: item.messageId },
  );
  if (!ack.ok) app.notify([ack.error.message, ack.error.hint].filter(Boolean).join(" "), "ask");
}
