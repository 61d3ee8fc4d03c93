/** A message for some members only. */
import { completeMembers, memberArgument } from "../arguments.ts";
import { UsageError, type ScreenCommand } from "../command.ts";
import { firstWord } from "../../../kit/text/command-line.ts";

export const to: ScreenCommand = {
  name: "to",
  usage: "/to NAME[,NAME] TEXT",
  summary: "says something to the named members only",
  group: "talk",
  complete: (screen, prefix) => (/\s/.test(prefix) ? [] : completeMembers(screen, prefix)),
  async run(screen, args) {
    const { word, rest } = firstWord(args);
    const names = word.split(",").filter((name) => name !== "");
    if (names.length === 0 || rest === "") throw new UsageError("It takes a member's name and what to say.");
    const members = names.map((name) => memberArgument(screen, name));
    await screen.send(`${members.map((name) => `@${name}`).join(" ")} ${rest}`, "send");
  },
};
