/** What stands in the shell after the screen has gone: whether anybody goes on, and how to come back. */
import { formatList } from "../../../kit/text/format-list.ts";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import type { Conversation } from "./conversation.ts";

export function exitMessage({ sessionId, transcript, host, working }: Conversation): string {
  if (sessionId === undefined) return "";
  const names = working.map((name) => terminalSafeLine(name));
  const isOne = names.length === 1;
  const what =
    host?.outlivesScreen === true
      ? `Detached. ${formatList(names)} ${isOne ? "keeps" : "keep"} working.`
      : `${formatList(names)} ${isOne ? "was" : "were"} stopped.`;
  const title = terminalSafeLine(transcript?.head.title ?? "");
  const again = `To continue${title === "" ? "" : ` "${title}"`}: roundtable --resume ${sessionId}`;
  return [...(names.length === 0 ? [] : [what]), again].map((line) => `${line}\n`).join("");
}
