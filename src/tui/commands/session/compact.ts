/** Making members' contexts shorter and taking that back; what is pinned stays in them. */
import type { ShownMessage } from "../../../transcript/index.ts";
import { completeMembers, completeKeywords, sessionMembers, shownTranscript } from "../arguments.ts";
import { UsageError, type CommandScreen, type ScreenCommand } from "../command.ts";
import { firstWord } from "../../../kit/text/command-line.ts";
import { shownMessages } from "../shown-messages.ts";
import { sendCommand } from "../send-command.ts";

const UNDO = { undo: "gives the member back what its last compaction folded away" };

export const compact: ScreenCommand = {
  name: "compact",
  usage: "/compact [undo] [@NAME] [FOCUS]",
  summary: "makes contexts shorter, with what to look after; undo takes the last one back",
  group: "session",
  complete: (screen, prefix) => [
    ...completeKeywords(UNDO, prefix),
    ...completeMembers(screen, prefix).map(({ value, label }) => ({ value: `@${value}`, label })),
  ],
  async run(screen, args) {
    const { word, rest } = firstWord(args);
    if (word === "undo") {
      const { member, text } = memberIn(screen, rest);
      if (text !== "") throw new UsageError("After undo it takes a member at most.");
      await sendCommand(screen, { type: "compact_undo", ...member }, "Undone: the context is again what it was.");
      return;
    }
    const { member, text } = memberIn(screen, args);
    const focus = text === "" ? {} : { focus: text };
    const ack = await screen.command({ type: "compact", ...member, ...focus });
    if (!ack.ok) return screen.notify([ack.error.message, ack.error.hint ?? ""].join(" ").trim(), "bad");
    // Not a success yet: what came of it is told by each member, in the conversation.
    screen.notify("Compacting …");
  },
};

export const pin: ScreenCommand = {
  name: "pin",
  usage: "/pin",
  summary: "keeps the marked message, or your last one, in every context",
  group: "session",
  run: (screen, args) => setPinned(screen, args, { pinned: true }),
};

export const unpin: ScreenCommand = {
  name: "unpin",
  usage: "/unpin",
  summary: "no longer keeps the marked message, or the one pinned last",
  group: "session",
  run: (screen, args) => setPinned(screen, args, { pinned: false }),
};

/** A name is one when it has an @, or is the first word and sits at the table. */
function memberIn(screen: CommandScreen, args: string): { member: { member?: string }; text: string } {
  const { word, rest } = firstWord(args);
  const name = word.replace(/^@/, "");
  const isMember = sessionMembers(screen).some((one) => one.name === name);
  if (!isMember && word.startsWith("@")) throw new UsageError(`There is no member "${name}".`);
  return isMember ? { member: { member: name }, text: rest } : { member: {}, text: args.trim() };
}

async function setPinned(screen: CommandScreen, args: string, { pinned }: { pinned: boolean }): Promise<void> {
  if (args.trim() !== "") throw new UsageError("It takes nothing; mark a message first.");
  const marked = idOf(screen.log.selected);
  const messageId = marked ?? (pinned ? lastOfUser(screen) : shownTranscript(screen).head.pinned.at(-1));
  if (messageId === undefined) throw new UsageError(pinned ? "There is nothing to pin yet." : "Nothing is pinned.");
  const done = pinned ? "Pinned: it stays in the members' contexts." : "Unpinned.";
  await sendCommand(screen, { type: "pin", messageId, pinned }, done);
}

function lastOfUser(screen: CommandScreen): string | undefined {
  return idOf(shownMessages(shownTranscript(screen)).findLast((message) => message.kind === "user"));
}

function idOf(message: ShownMessage | undefined): string | undefined {
  if (message?.kind === "user") return message.messageId;
  return message?.kind === "turn" ? message.turnId : undefined;
}
