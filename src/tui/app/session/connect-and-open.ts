/** How a sitting begins: a seat is taken, and the session that was meant is opened, chosen or begun. */
import { runCommandLine } from "../../commands/run-command.ts";
import type { AppContext } from "../app-context.ts";

/** `introduce` tells who would sit down, once the session that there is has been asked for. */
export async function connectAndOpen(app: AppContext, introduce: () => void): Promise<void> {
  const client = await app.conversation.connect();
  const { warning } = app.conversation.host ?? {};
  if (warning !== undefined) app.notify(warning, "warn");
  const choice = await app.options.choose(client);
  const chosen = "pick" in choice ? undefined : choice.sessionId;
  const opening = chosen === undefined ? Promise.resolve() : app.openSession(chosen);
  introduce();
  await opening;
  if ("pick" in choice) await runCommandLine(app, "/sessions");
  // Leaving the list without a choice is a choice too: a new session.
  if (chosen === undefined && app.sessionId === undefined) await app.openSession(undefined);
}
