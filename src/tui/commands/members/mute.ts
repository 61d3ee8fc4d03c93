/** Who is asked. A muted member keeps its seat and hears nothing until it is unmuted. */
import { completeMembers, memberArgument } from "../arguments.ts";
import type { CommandScreen, ScreenCommand } from "../command.ts";
import { sendCommand } from "../send-command.ts";

export const mute: ScreenCommand = {
  name: "mute",
  usage: "/mute NAME",
  summary: "a member is no longer asked",
  group: "table",
  complete: (screen, prefix) => completeMembers(screen, prefix),
  run: (screen, args) => setMuted(screen, args, { muted: true }),
};

export const unmute: ScreenCommand = {
  name: "unmute",
  usage: "/unmute NAME",
  summary: "a muted member is asked again",
  group: "table",
  complete: (screen, prefix) => completeMembers(screen, prefix),
  run: (screen, args) => setMuted(screen, args, { muted: false }),
};

async function setMuted(screen: CommandScreen, args: string, { muted }: { muted: boolean }): Promise<void> {
  const member = memberArgument(screen, args.trim());
  const done = muted ? `${member} is muted and will not be asked.` : `${member} is asked again.`;
  await sendCommand(screen, { type: muted ? "mute" : "unmute", member }, done);
}
