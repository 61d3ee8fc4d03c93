/** Another session. The one that is left stays where it is; nothing is deleted. */
import { refuseArguments } from "../arguments.ts";
import type { ScreenCommand } from "../command.ts";

export const newSession: ScreenCommand = {
  name: "new",
  aliases: ["clear"],
  usage: "/new",
  summary: "begins a new session and keeps this one",
  group: "session",
  async run(screen, args) {
    refuseArguments(args);
    const left = screen.sessionId;
    await screen.openSession(undefined);
    screen.notify(
      left === undefined
        ? "A new session begins with your first message."
        : `A new session begins with your first message. The one before is kept: ${left} (/sessions).`,
    );
  },
};
