/** What stands in the shell after the screen has gone: where the talk is, and whether anybody goes on. */
import { terminalSafeLine } from "../../kit/terminal-safe.ts";
import type { Conversation } from "./conversation.ts";

export function farewell({ sessionId, transcript, seat, isRunning }: Conversation): string {
  if (sessionId === undefined) return "";
  const title = terminalSafeLine(transcript?.head.title ?? "");
  const running = Object.values(transcript?.head.openTurns ?? {}).map((turn) => terminalSafeLine(turn.member));
  const names = [...new Set(running)].join(", ");
  const goesOn = !isRunning
    ? []
    : [seat?.outlivesScreen === true ? `Detached; ${names} goes on.` : `${names} was interrupted.`];
  return [...goesOn, `"${title}" again: roundtable chat ${sessionId}`].map((line) => `${line}\n`).join("");
}
