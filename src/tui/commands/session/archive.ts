/** The end of a session: archived, to be read only, or deleted, to the trash. */
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import { refuseArguments, shownTranscript } from "../arguments.ts";
import type { ScreenCommand } from "../command.ts";
import { sendCommand } from "../send-command.ts";

export const archive: ScreenCommand = {
  name: "archive",
  usage: "/archive",
  summary: "puts the session away, to be read only; again, brings it back",
  group: "session",
  async run(screen, args) {
    refuseArguments(args);
    const archived = !shownTranscript(screen).head.archived;
    const done = archived
      ? "The session is archived; /archive brings it back."
      : "The session is back from the archive.";
    await sendCommand(screen, { type: "archive", archived }, done);
  },
};

export const deleteSession: ScreenCommand = {
  name: "delete",
  usage: "/delete",
  summary: "moves the session to the trash",
  group: "session",
  async run(screen, args) {
    refuseArguments(args);
    const { title, sessionId } = shownTranscript(screen).head;
    const isSure = await screen.confirm(
      "Delete this session?",
      `"${terminalSafeLine(title)}" goes to the trash. To bring it back: roundtable sessions trash restore ${sessionId}`,
    );
    if (!isSure) return screen.notify("Nothing was deleted.");
    // Left first: who follows a session that goes away is told that it is lost.
    await screen.openSession(undefined);
    try {
      await screen.deleteSession(sessionId);
    } catch (error) {
      await screen.openSession(sessionId);
      return screen.notify(`It was not deleted: ${error instanceof Error ? error.message : String(error)}`, "bad");
    }
    screen.notify(`Session ${sessionId} is in the trash. A new one begins with your first message.`, "good");
  },
};
