/** Back to before an earlier message of one's own: a copy of the session up to there, with that message as the draft. */
import type { UserMessage } from "../../../transcript/index.ts";
import { mentionPrefix, wholeText } from "../../app/session/resend-text.ts";
import { rowText } from "../../app/chrome/row-text.ts";
import type { Choice } from "../../app/screen/port.ts";
import { shortAge } from "../../overlays/short-age.ts";
import { refuseArguments, shownTranscript } from "../arguments.ts";
import { UsageError, type CommandScreen, type ScreenCommand } from "../command.ts";
import { countAbsent, shownMessages } from "../shown-messages.ts";

const WORD = " (rewound)";

export const rewind: ScreenCommand = {
  name: "rewind",
  usage: "/rewind",
  summary: "goes back to before an earlier message of yours, in a copy; also Escape twice in an empty box",
  group: "session",
  async run(screen, args) {
    refuseArguments(args);
    const { sessionId } = screen;
    const message = await pickMessage(screen);
    // The session may have been left while the list was open; a fork would be one of another.
    if (message === undefined || screen.sessionId !== sessionId) return;
    await goBackTo(screen, message);
  },
};

/** Undefined when the user left without a choice. */
async function pickMessage(screen: CommandScreen): Promise<UserMessage | undefined> {
  const transcript = shownTranscript(screen);
  const absent = countAbsent(transcript);
  const older: Choice<"older">[] =
    absent === 0 ? [] : [{ label: "Older messages …", description: `${absent} are not in memory`, value: "older" }];
  const choices = [...choicesOf(screen, ownMessages(transcript)), ...older];
  if (choices.length === 0) throw new UsageError("There is no message of yours to go back to.");
  const picked = await screen.pick<UserMessage | "older">("Go back to before", choices);
  if (picked !== "older") return picked;
  const whole = (await screen.loadAll()) ?? transcript;
  return await screen.pick("Go back to before", choicesOf(screen, ownMessages(whole)));
}

/** The newest first. */
function ownMessages(transcript: Parameters<typeof shownMessages>[0]): UserMessage[] {
  return shownMessages(transcript)
    .filter((message) => message.kind === "user")
    .toReversed();
}

function choicesOf(screen: CommandScreen, messages: readonly UserMessage[]): Choice<UserMessage>[] {
  return messages.map((message) => ({
    label: rowText(message.text).trim() || message.attachments.map(({ name }) => rowText(name)).join(", "),
    description: [shortAge(screen.now - message.ts), ...(message.toAll ? [] : [`to ${message.to.join(", ")}`])].join(
      " · ",
    ),
    value: message,
  }));
}

async function goBackTo(screen: CommandScreen, message: UserMessage): Promise<void> {
  const left = screen.sessionId ?? "";
  const { title } = shownTranscript(screen).head;
  const text = await wholeText(message, screen);
  const ack = await screen.command({
    type: "fork",
    seq: message.seq - 1,
    title: title.endsWith(WORD) ? title : `${title}${WORD}`,
  });
  if (!ack.ok) return screen.notify([ack.error.message, ack.error.hint ?? ""].join(" ").trim(), "bad");
  const { sessionId } = ack.result as { sessionId: string };
  await screen.openSession(sessionId);
  screen.offerDraft(mentionPrefix(message.toAll ? [] : message.to) + (text ?? message.text));
  screen.notify(`This is a copy up to before that message. The session it was copied from is whole: ${left}.`, "good");
  if (text === undefined) screen.notify("Only the beginning of the message could be read here.", "warn");
  const { length } = message.attachments;
  if (length > 0) screen.notify(`Its ${length === 1 ? "file does" : `${length} files do`} not go along.`, "warn");
}
