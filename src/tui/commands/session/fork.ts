/** A copy of the session, to go on in another direction. */
import type { ShownMessage } from "../../../transcript/index.ts";
import { shownTranscript } from "../arguments.ts";
import type { ScreenCommand } from "../command.ts";

export const fork: ScreenCommand = {
  name: "fork",
  usage: "/fork [TITLE]",
  summary: "copies the session, up to the marked message if one is marked, and shows the copy",
  group: "session",
  async run(screen, args) {
    shownTranscript(screen);
    const title = args.trim();
    const seq = seqOf(screen.log.selected);
    const ack = await screen.command({
      type: "fork",
      ...(seq === undefined ? {} : { seq }),
      ...(title === "" ? {} : { title }),
    });
    if (!ack.ok) return screen.notify([ack.error.message, ack.error.hint ?? ""].join(" ").trim(), "bad");
    const left = screen.sessionId ?? "";
    const { sessionId } = ack.result as { sessionId: string };
    await screen.openSession(sessionId);
    screen.notify(
      `This is a copy, session ${sessionId}. The one it was copied from goes on as it was: ${left}.`,
      "good",
    );
  },
};

/** A turn goes along whole; one that still speaks, as far as it has come. */
function seqOf(message: ShownMessage | undefined): number | undefined {
  return message?.kind === "turn" ? message.end?.seq : message?.seq;
}
