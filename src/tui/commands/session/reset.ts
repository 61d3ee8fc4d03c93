/** Begins anew inside the session: members forget, the log keeps everything. */
import { refuseArguments, shownTranscript } from "../arguments.ts";
import type { ScreenCommand } from "../command.ts";
import { sendCommand } from "../send-command.ts";

export const reset: ScreenCommand = {
  name: "reset",
  usage: "/reset",
  summary: "members forget what was said so far in this session",
  group: "session",
  async run(screen, args) {
    refuseArguments(args);
    shownTranscript(screen);
    const isSure = await screen.confirm(
      "Reset this session?",
      "Members will no longer be given what was said so far, and it is no longer shown. The log keeps it.",
    );
    if (!isSure) return screen.notify("Nothing was reset.");
    await sendCommand(screen, { type: "clear" }, "The session begins anew; members no longer know what was said.");
  },
};
