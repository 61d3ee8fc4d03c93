/** The discussion: more rounds, going on after a pause, and the record of it. */
import { completeMembers, memberArgument, refuseArguments } from "../arguments.ts";
import { UsageError, type ScreenCommand } from "../command.ts";
import { sendCommand } from "../send-command.ts";

const ROUNDS_MAX = 100;

export const round: ScreenCommand = {
  name: "round",
  usage: "/round [NUMBER]",
  summary: "one more round of discussion, or several",
  group: "talk",
  async run(screen, args) {
    const rounds = roundsOf(args.trim());
    await sendCommand(screen, { type: "round", rounds }, rounds === 1 ? "One more round." : `${rounds} more rounds.`);
  },
};

function roundsOf(given: string): number {
  if (given === "") return 1;
  const rounds = Number(given);
  if (!/^\d{1,3}$/.test(given) || rounds < 1 || rounds > ROUNDS_MAX) {
    throw new UsageError(`It takes a number of rounds from 1 to ${ROUNDS_MAX}.`);
  }
  return rounds;
}

export const goOn: ScreenCommand = {
  name: "continue",
  usage: "/continue",
  summary: "goes on with a paused discussion",
  group: "talk",
  async run(screen, args) {
    refuseArguments(args);
    await sendCommand(screen, { type: "continue" }, "The discussion goes on.");
  },
};

export const minutes: ScreenCommand = {
  name: "minutes",
  usage: "/minutes [NAME]",
  summary: "makes the record of the discussion, written by the named member or by whoever can",
  group: "talk",
  complete: (screen, prefix) => completeMembers(screen, prefix),
  async run(screen, args) {
    const given = args.trim();
    const by = given === "" ? {} : { by: memberArgument(screen, given) };
    await sendCommand(screen, { type: "minutes", ...by }, "The minutes are being made.");
  },
};
