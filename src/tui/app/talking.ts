/** Sending and stopping, with the words that tell what came of it. */
import { asMessage } from "../../kit/command-line.ts";
import type { App } from "./app.ts";
import { sentWords } from "./sent-words.ts";

export async function sendMessage(app: App, text: string, how: "send" | "queue"): Promise<void> {
  app.log.toEnd();
  // A refused message must not be lost: it is the draft again, unless another was begun meanwhile.
  const files = app.attached.take();
  const giveBack = () => {
    files.putBack();
    if (app.prompt.text === "") app.prompt.setText(asMessage(text));
  };
  const ack = await app.conversation.send(text, how, files.upload).catch((error: unknown) => {
    giveBack();
    throw error;
  });
  const words = sentWords(ack);
  if (words !== "") app.say(words, ack.ok ? "dim" : "bad");
  if (!ack.ok) giveBack();
}

export async function interruptTurns(app: App, scope: "own" | "all"): Promise<void> {
  const ack = await app.command({ type: "interrupt", scope });
  if (!ack.ok) return app.say(ack.error.message, "bad");
  const { stopped, othersRunning } = ack.result as { stopped: number; othersRunning: number };
  if (stopped > 0) app.say(`Interrupted ${stopped} ${stopped === 1 ? "turn" : "turns"}.`);
  else if (othersRunning > 0) app.say("What runs was started elsewhere; /interrupt all stops it.", "warn");
}
