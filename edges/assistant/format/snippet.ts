/** The newest text of a session, used by assistant's page as the title of unnamed ones. */
import { resolveMessage, turnText, type Transcript } from "../../../src/transcript/index.ts";

const SNIPPET_CHARS_MAX = 120;

/** Undefined without messages, or when they are no longer in memory. */
export function snippetOf({ head, live }: Pick<Transcript, "head" | "live">): string | undefined {
  const messages = live.flatMap((page) => page.messages).toReversed();
  for (const entry of messages) {
    const message = resolveMessage(head, entry);
    if (message.kind === "notice" || message.seq <= head.clearedSeq) continue;
    const text = (message.kind === "user" ? message.text : message.end === undefined ? "" : turnText(message)).trim();
    if (text !== "") return cut(text);
  }
  return undefined;
}

function cut(text: string): string {
  return text.length > SNIPPET_CHARS_MAX ? `${text.slice(0, SNIPPET_CHARS_MAX - 3).toWellFormed()}…` : text;
}
