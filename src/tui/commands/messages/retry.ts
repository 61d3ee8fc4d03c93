/** Asks again: the member that failed last, or the one that is named. */
import { completeMembers, memberArgument } from "../arguments.ts";
import type { ScreenCommand } from "../command.ts";
import { sendCommand } from "../send-command.ts";

export const retry: ScreenCommand = {
  name: "retry",
  usage: "/retry [NAME]",
  summary: "asks again a member whose turn failed",
  group: "talk",
  complete: (screen, prefix) => completeMembers(screen, prefix),
  async run(screen, args) {
    const given = args.trim();
    const member = given === "" ? undefined : memberArgument(screen, given);
    const body = member === undefined ? { type: "retry" as const } : { type: "retry" as const, member };
    await sendCommand(screen, body, member === undefined ? "Asked again." : `${member} is asked again.`);
  },
};
