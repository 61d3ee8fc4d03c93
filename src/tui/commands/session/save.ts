/** The conversation as a file. */
import { shownTranscript } from "../arguments.ts";
import type { ScreenCommand } from "../command.ts";
import { conversationMarkdown } from "./conversation-markdown.ts";
import { countAbsent } from "../shown-messages.ts";

const NAME_CHARS_MAX = 60;

export const save: ScreenCommand = {
  name: "save",
  usage: "/save [FILE]",
  summary: "writes the conversation as Markdown",
  group: "session",
  async run(screen, args) {
    const before = shownTranscript(screen);
    const transcript = (await screen.loadAll()) ?? before;
    const name = args === "" ? fileName(transcript.head.title, transcript.head.sessionId) : args;
    const where = await screen.saveFile(name, conversationMarkdown(transcript));
    const absent = countAbsent(transcript);
    screen.notify(
      absent === 0
        ? `Saved to ${where}.`
        : `Saved to ${where}, without ${absent} older messages that could not be loaded.`,
      absent === 0 ? "good" : "warn",
    );
  },
};

function fileName(title: string, sessionId: string): string {
  const slug = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, NAME_CHARS_MAX);
  return `${slug === "" ? sessionId.toLowerCase() : slug}.md`;
}
