/** Which session is shown. */
import { terminalSafeLine } from "../../kit/terminal-safe.ts";
import { sessionChoices } from "../overlays/session-overlay.ts";
import { UsageError, type CommandScreen, type ScreenCommand } from "./command.ts";

export const sessions: ScreenCommand = {
  name: "sessions",
  aliases: ["resume"],
  usage: "/sessions [ID]",
  summary: "shows another session, or a new one",
  group: "session",
  complete: async (screen, prefix) =>
    (await screen.sessions())
      .filter(({ sessionId }) => sessionId.startsWith(prefix))
      .map(({ sessionId, title }) => ({ value: sessionId, label: sessionId, description: title })),
  async run(screen, args) {
    const all = await screen.sessions();
    if (args !== "") return open(screen, idArgument(all, args));
    const { now, sessionId: currentId } = screen;
    // A new session is chosen with an empty id: undefined is what leaving without a choice gives.
    const picked = await screen.pick(
      "Sessions",
      sessionChoices({ sessions: all, now, currentId }).map(({ label, description = "", value = "" }) => ({
        label,
        description,
        value,
      })),
      // The newest session, not the entry for a new one above it.
      { at: all.length > 0 ? 1 : 0 },
    );
    if (picked !== undefined) await open(screen, picked === "" ? undefined : picked);
  },
};

/** A whole id, or the beginning of exactly one. */
function idArgument(all: readonly { sessionId: string }[], given: string): string {
  const found = all.filter(({ sessionId }) => sessionId.startsWith(given.toUpperCase()));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.sessionId;
  throw new UsageError(
    found.length === 0 ? `There is no session "${given}".` : `"${given}" begins ${found.length} ids.`,
  );
}

async function open(screen: CommandScreen, sessionId: string | undefined): Promise<void> {
  if (sessionId !== undefined && sessionId === screen.sessionId) return screen.say("That session is shown already.");
  await screen.openSession(sessionId);
  const title = terminalSafeLine(screen.transcript?.head.title ?? "");
  screen.say(
    sessionId === undefined
      ? "A new session begins with your first message."
      : `This is session ${sessionId}${title === "" ? "" : `, "${title}"`}.`,
  );
}
