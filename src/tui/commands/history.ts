/**
 * /rewind, /compact, /pin, /unpin. Rewind forks the session before one of the user's messages, which becomes the draft.
 */
import { shortId } from "../../kit/short-id.ts";
import { firstWord } from "../../kit/text/command-line.ts";
import { commandResult } from "../../protocol/index.ts";
import type { ShownMessage, UserMessage } from "../../transcript/index.ts";
import { rowText } from "../app/chrome/chrome-rows.ts";
import type { Choice } from "../app/screen/port.ts";
import { mentionPrefix, wholeText } from "../app/session/sending.ts";
import { timeAgo } from "../overlays/short-age.ts";
import {
  completeKeywords,
  completeMembers,
  countAbsent,
  refuseArguments,
  sendCommand,
  sessionMembers,
  shownMessages,
  shownTranscript,
} from "./arguments.ts";
import { type CommandScreen, type ScreenCommand, UnavailableError, UsageError } from "./command.ts";

const UNDO = { undo: "restore what the last compaction removed" };

export const compact: ScreenCommand = {
  name: "compact",
  usage: "/compact [undo] [@NAME] [FOCUS]",
  summary: "Shorten the members' contexts, or undo it",
  group: "session",
  complete: (screen, prefix) => [
    ...completeKeywords(UNDO, prefix),
    ...completeMembers(screen, prefix).map(({ value, label }) => ({ value: `@${value}`, label })),
  ],
  async run(screen, args) {
    const { word, rest } = firstWord(args);
    if (word === "undo") {
      const { member, text } = memberIn(screen, rest);
      if (text !== "") throw new UsageError("/compact undo takes only a member.");
      await sendCommand(screen, { type: "compact_undo", ...member });
      return;
    }
    const { member, text } = memberIn(screen, args);
    const focus = text === "" ? {} : { focus: text };
    const ack = await screen.command({ type: "compact", ...member, ...focus });
    if (!ack.ok) return screen.notify([ack.error.message, ack.error.hint ?? ""].join(" ").trim(), "bad");
    // Each member reports its result in the conversation.
  },
};

export const pin: ScreenCommand = {
  name: "pin",
  usage: "/pin",
  summary: "Keep a message in every context",
  group: "session",
  run: (screen, args) => setPinned(screen, args, { pinned: true }),
};

export const unpin: ScreenCommand = {
  name: "unpin",
  usage: "/unpin",
  summary: "Unpin a message",
  group: "session",
  run: (screen, args) => setPinned(screen, args, { pinned: false }),
};

const WORD = " (rewound)";

export const rewind: ScreenCommand = {
  name: "rewind",
  usage: "/rewind",
  summary: "Go back to an earlier message",
  group: "session",
  async run(screen, args) {
    refuseArguments(args);
    const { sessionId } = screen;
    const message = await pickMessage(screen);
    // The session may have been left while the list was open; the fork would be of another one.
    if (message === undefined || screen.sessionId !== sessionId) return;
    await goBackTo(screen, message);
  },
};

/** Undefined when nothing was chosen. */
async function pickMessage(screen: CommandScreen): Promise<UserMessage | undefined> {
  const transcript = shownTranscript(screen);
  const absent = countAbsent(transcript);
  const older: Choice<"older">[] =
    absent === 0 ? [] : [{ label: "Older messages …", description: `${absent} not loaded`, value: "older" }];
  const choices = [...choicesOf(screen, ownMessages(transcript)), ...older];
  if (choices.length === 0) throw new UnavailableError("You have not written anything to rewind to.");
  const picked = await screen.pick<UserMessage | "older">("Rewind to before …", choices);
  if (picked !== "older") return picked;
  const whole = (await screen.loadAll()) ?? transcript;
  return await screen.pick("Rewind to before …", choicesOf(screen, ownMessages(whole)));
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
    description: [timeAgo(screen.now - message.ts), ...(message.toAll ? [] : [`to ${message.to.join(", ")}`])].join(
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
  const { sessionId } = commandResult("fork", ack);
  await screen.openSession(sessionId);
  screen.offerDraft(mentionPrefix(message.toAll ? [] : message.to) + (text ?? message.text));
  screen.notify(`Now in a copy that ends before that message. The original is unchanged: ${shortId(left)}.`, "ok");
  if (text === undefined) screen.notify("Only the beginning of that message could be loaded.", "ask");
  const { length } = message.attachments;
  if (length > 0) screen.notify(`Its ${length === 1 ? "file is" : `${length} files are`} not attached again.`, "ask");
}

/** A name has an @, or is the first word and a member's name. */
function memberIn(screen: CommandScreen, args: string): { member: { member?: string }; text: string } {
  const { word, rest } = firstWord(args);
  const name = word.replace(/^@/, "");
  const isMember = sessionMembers(screen).some((one) => one.name === name);
  if (!isMember && word.startsWith("@")) throw new UsageError(`There is no member "${name}".`);
  return isMember ? { member: { member: name }, text: rest } : { member: {}, text: args.trim() };
}

async function setPinned(screen: CommandScreen, args: string, { pinned }: { pinned: boolean }): Promise<void> {
  if (args.trim() !== "") throw new UsageError("This command takes no arguments. Select a message first.");
  const marked = idOf(screen.log.selected);
  const messageId = marked ?? (pinned ? lastOfUser(screen) : shownTranscript(screen).head.pinned.at(-1));
  if (messageId === undefined) throw new UnavailableError(pinned ? "Nothing to pin yet." : "Nothing is pinned.");
  const done = pinned ? "Pinned. It stays in every context." : "Unpinned.";
  await sendCommand(screen, { type: "pin", messageId, pinned }, done);
}

function lastOfUser(screen: CommandScreen): string | undefined {
  return idOf(shownMessages(shownTranscript(screen)).findLast((message) => message.kind === "user"));
}

function idOf(message: ShownMessage | undefined): string | undefined {
  if (message?.kind === "user") return message.messageId;
  return message?.kind === "turn" ? message.turnId : undefined;
}
