/** Into the clipboard, as it was written. */
import { isQuietTurn, type ShownMessage } from "../../../transcript/index.ts";
import { codeBlocks, copyText } from "../../log/copy-text.ts";
import { completeKeywords, shownTranscript } from "../arguments.ts";
import { UsageError, type CommandScreen, type ScreenCommand } from "../command.ts";
import { conversationMarkdown } from "../session/conversation-markdown.ts";
import { firstWord } from "../../../kit/text/command-line.ts";
import { shownTurns } from "../shown-messages.ts";

const TARGETS = {
  last: "the last answer",
  code: "a block of code of the answer, the last one unless told",
  all: "the whole conversation as Markdown",
};

export const copy: ScreenCommand = {
  name: "copy",
  usage: "/copy [last|code [N]|all]",
  summary: "copies the marked message or the last answer, its code, or everything",
  group: "view",
  complete: (_screen, prefix) => completeKeywords(TARGETS, prefix),
  async run(screen, args) {
    const { word, rest } = firstWord(args);
    switch (word) {
      case "":
        return give(screen, copyText(screen.log.selected ?? lastAnswer(screen)), "the message");
      case "last":
        return give(screen, copyText(lastAnswer(screen)), "the last answer");
      case "code":
        return give(screen, codeArgument(screen.log.selected ?? lastAnswer(screen), rest), "the code");
      case "all": {
        const transcript = (await screen.loadAll()) ?? shownTranscript(screen);
        return give(screen, conversationMarkdown(transcript), "the conversation");
      }
      default:
        throw new UsageError(`"${word}" cannot be copied; it takes last, code or all.`);
    }
  },
};

function lastAnswer(screen: CommandScreen): ShownMessage {
  const turn = shownTurns(shownTranscript(screen)).findLast(
    (one) => one.depth === 0 && copyText(one) !== "" && !isQuietTurn(one),
  );
  if (turn === undefined) throw new UsageError("Nobody has answered yet.");
  return turn;
}

/** Blocks are counted from 1, as they are read. */
function codeArgument(message: ShownMessage, given: string): string {
  const blocks = codeBlocks(message);
  if (blocks.length === 0) throw new UsageError("The answer has no block of code.");
  const number = given === "" ? blocks.length : Number(given);
  const block = blocks[number - 1];
  if (block === undefined) throw new UsageError(`There is no block "${given}"; the answer has ${blocks.length}.`);
  return block;
}

async function give(screen: CommandScreen, text: string, what: string): Promise<void> {
  const hasLanded = await screen.copy(text);
  const size = `${what} (${text.length} ${text.length === 1 ? "character" : "characters"})`;
  if (hasLanded) screen.notify(`Copied ${size}.`, "good");
  else screen.notify(`Offered ${size} to the terminal, which may ignore it; /save writes a file.`);
}
