/** Asks the embedded scout for one of its test phrases, so that every part of the screen can be seen without a model. */
import { membersInOrder } from "../../../transcript/index.ts";
import { UsageError, type ScreenCommand } from "../command.ts";

const SCOUT = "scout";

export const tryPhrase: ScreenCommand = {
  name: "try",
  usage: "/try [NAME]",
  summary: "asks the embedded scout for a test phrase; without a name, for their list",
  group: "program",
  async run(screen, args) {
    const { transcript } = screen;
    if (transcript !== undefined && !membersInOrder(transcript.head).some(({ name }) => name === SCOUT)) {
      throw new UsageError("Test phrases are scout's, and scout does not sit at this table.");
    }
    await screen.send(`@${SCOUT} /try ${args}`.trim(), "send");
  },
};
