/** /share and /unshare: the session that is shown, for the team of this machine. */
import { refuseArguments, shownTranscript } from "./arguments.ts";
import { type CommandScreen, type ScreenCommand, UnavailableError } from "./command.ts";

export const share: ScreenCommand = {
  name: "share",
  usage: "/share",
  summary: "Share this session with your team",
  group: "session",
  run: (screen, args) => choose(screen, args, true),
};

export const unshare: ScreenCommand = {
  name: "unshare",
  usage: "/unshare",
  summary: "Stop sharing and delete the server's copy",
  group: "session",
  run: (screen, args) => choose(screen, args, false),
};

async function choose(screen: CommandScreen, args: string, isShared: boolean): Promise<void> {
  refuseArguments(args);
  const done = await screen.setShared(shownTranscript(screen).head.sessionId, isShared);
  if (done === undefined) throw new UnavailableError("Sharing can only be changed on the session's own machine.");
  screen.notify(done, "ok");
}
