/** Connects to the host and opens, picks or prepares the first session. */
import { runCommandLine } from "../../commands/run-command.ts";
import type { AppContext } from "../app-context.ts";
import { missingDirectoryWarning } from "./leaving.ts";

/** `introduce` shows the members of a new session, once an existing one was requested. */
export async function connectAndOpen(app: AppContext, introduce: () => void): Promise<void> {
  const client = await app.conversation.connect();
  const { warning } = app.conversation.host ?? {};
  if (warning !== undefined) app.notify(warning, "ask");
  const choice = await app.options.choose(client);
  const chosen = "pick" in choice ? undefined : choice.sessionId;
  const opening = chosen === undefined ? Promise.resolve() : app.openSession(chosen);
  introduce();
  await opening;
  if ("pick" in choice) await runCommandLine(app, "/sessions");
  // Closing the picker without a choice means a new session.
  if (chosen === undefined && app.sessionId === undefined) await app.openSession(undefined);
}

export async function openSession(app: AppContext, sessionId: string | undefined): Promise<void> {
  app.addressing.reset();
  if (sessionId === undefined) app.repository.readWelcome();
  await Promise.all([app.conversation.open(sessionId), app.prompt.openSession(sessionId)]);
  const lost = missingDirectoryWarning(app.options, app.transcript);
  if (lost !== undefined) app.notify(lost, "ask");
}
