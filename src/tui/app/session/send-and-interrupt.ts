/** Sending and stopping, with the words that tell what came of it. */
import { stillRunning } from "../../../client/index.ts";
import { asMessage } from "../../../kit/text/command-line.ts";
import type { App } from "../app.ts";
import { interruptResult, formatSendResult, formatStopped } from "./format-outcome.ts";

export async function sendMessage(app: App, text: string, how: "send" | "queue"): Promise<void> {
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
export async function interruptTurns(app: App, scope: "own" | "all"): Promise<readonly string[]> {
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
