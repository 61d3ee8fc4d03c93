/** One sitting at a terminal, from the first frame to the words after the last. */
import { ProcessTerminal } from "@earendil-works/pi-tui";
import { App } from "./app.ts";
import { exitMessage } from "./session/exit-message.ts";
import type { ScreenOptions } from "./options.ts";

/** Resolves with what is left to say when the user has gone; the terminal is as it was. Rejects when the host is lost. */
export async function runScreen(options: ScreenOptions): Promise<string> {
  const app = new App(options, new ProcessTerminal());
  await app.run();
  return exitMessage(app.conversation);
}
