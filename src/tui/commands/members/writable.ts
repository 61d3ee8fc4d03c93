/** Whether members only advise, or may change files and run commands. */
import { WRITABLE_LABELS as EFFECTS } from "../../../transcript/index.ts";
import { completeKeywords, shownTranscript } from "../arguments.ts";
import { UsageError, type ScreenCommand } from "../command.ts";
import { sendCommand } from "../send-command.ts";

export const writable: ScreenCommand = {
  name: "writable",
  usage: "/writable [on|off]",
  summary: "says whether members may change files and run commands, or changes it",
  group: "table",
  complete: (_, prefix) => completeKeywords(EFFECTS, prefix),
  async run(screen, args) {
    const wanted = args.trim();
    if (wanted === "") {
      const isOn =
        screen.sessionId === undefined
          ? screen.isNewWritable
          : shownTranscript(screen).head.settings?.writable === true;
      screen.notify(isOn ? `On: ${EFFECTS.on}.` : `Off: ${EFFECTS.off}.`);
      return;
    }
    if (wanted !== "on" && wanted !== "off") throw new UsageError("It takes on or off.");
    await sendCommand(
      screen,
      { type: "set_settings", settings: { writable: wanted === "on" } },
      `From the next turn on, ${EFFECTS[wanted]}.`,
    );
  },
};
