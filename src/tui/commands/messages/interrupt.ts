/** Stopping what runs. What was said so far is kept. */
import { completeMembers, memberArgument } from "../arguments.ts";
import type { ScreenCommand } from "../command.ts";
import { refuseArguments } from "../arguments.ts";
import { sendCommand } from "../send-command.ts";

const EVERYTHING = { value: "all", label: "all", description: "everything that runs" };

export const interrupt: ScreenCommand = {
  name: "interrupt",
  usage: "/interrupt [NAME|all]",
  summary: "stops what your messages started, one member, or everything",
  group: "talk",
  complete: (screen, prefix) => completeMembers(screen, prefix, [EVERYTHING]),
  async run(screen, args) {
    const given = args.trim();
    if (given === "") return screen.interrupt("own");
    if (given === "all") return screen.interrupt("all");
    const member = memberArgument(screen, given);
    await sendCommand(screen, { type: "interrupt", scope: "member", member }, `${member} was interrupted.`);
  },
};

export const stop: ScreenCommand = {
  name: "stop",
  aliases: ["abort"],
  usage: "/stop",
  summary: "stops everything that runs",
  group: "talk",
  async run(screen, args) {
    refuseArguments(args);
    await screen.interrupt("all");
  },
};
