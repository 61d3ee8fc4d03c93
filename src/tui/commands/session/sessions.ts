/** Which session is shown. */
import { matchSessions } from "../../../client/index.ts";
import { shortId } from "../../../kit/short-id.ts";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import { UsageError, type CommandScreen, type ScreenCommand } from "../command.ts";

export const sessions: ScreenCommand = {
  name: "sessions",
  aliases: ["resume"],
  usage: "/sessions [ID or TITLE]",
  summary: "shows another session, or a new one",
  group: "session",
  complete: async (screen, prefix) =>
    (await screen.sessions())
      .filter(({ sessionId, title }) => {
        return sessionId.includes(prefix.toUpperCase()) || title.toLowerCase().includes(prefix.toLowerCase());
      })
      .map(({ sessionId, title }) => ({ value: sessionId, label: shortId(sessionId), description: title })),
  async run(screen, args) {
    const all = await screen.sessions();
    const { sessions: matches } = matchSessions(all, args);
    const [only] = matches;
    if (args !== "" && only === undefined) throw new UsageError(`There is no session "${args}".`);
    if (only !== undefined && matches.length === 1) return open(screen, only.sessionId);
    // Several could be meant: they are shown to choose from.
    const picked = await screen.pickSession(args === "" ? { sessions: all } : { sessions: matches, query: args });
    if (picked !== undefined) await open(screen, picked.sessionId);
  },
};

async function open(screen: CommandScreen, sessionId: string | undefined): Promise<void> {
  // Without its picture it is only meant, not shown: it is opened again.
  const isShown = sessionId !== undefined && sessionId === screen.sessionId && screen.transcript !== undefined;
  if (isShown) return screen.notify("That session is shown already.");
  await screen.openSession(sessionId);
  const title = terminalSafeLine(screen.transcript?.head.title ?? "");
  screen.notify(
    sessionId === undefined
      ? "A new session begins with your first message."
      : `This is session ${sessionId}${title === "" ? "" : `, "${title}"`}.`,
  );
}
