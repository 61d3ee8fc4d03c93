/** The session's title. */
import { UsageError, type ScreenCommand } from "../command.ts";
import { sendCommand } from "../send-command.ts";

const TITLE_CHARS_MAX = 200;

export const rename: ScreenCommand = {
  name: "rename",
  aliases: ["name"],
  usage: "/rename TITLE",
  summary: "gives the session another title",
  group: "session",
  complete: ({ transcript }, prefix) => {
    const title = transcript?.head.title ?? "";
    return title !== "" && title.startsWith(prefix) ? [{ value: title, label: title }] : [];
  },
  async run(screen, args) {
    const title = args.replaceAll(/\s+/g, " ").trim();
    if (title === "") throw new UsageError("What title?");
    if (title.length > TITLE_CHARS_MAX) {
      throw new UsageError(`The title has ${title.length} characters; at most ${TITLE_CHARS_MAX} are taken.`);
    }
    await sendCommand(screen, { type: "rename", title }, `The session is now called "${title}".`);
  },
};
