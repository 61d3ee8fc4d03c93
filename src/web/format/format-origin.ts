/** Where a message came from when it was not written here: said once, not beside every message of a row. */
import { messageAt, type Transcript, type UserMessage } from "../../transcript/index.ts";

/** Programs whose sessions are imported; the origin of a message names one of them and its session there. */
const PROGRAMS: ReadonlyMap<string, string> = new Map([
  ["claude", "Claude Code"],
  ["codex", "Codex"],
  ["pi", "Pi"],
  ["sprout", "Sprout"],
  ["assistant", "Assistant"],
]);

/** How far back the message before is looked for; a turn or two stand between messages. */
const LOOKBACK_MAX = 64;

/** Empty when the message before it has the same origin. */
export function formatOrigin(transcript: Transcript, { origin, position }: UserMessage): string {
  if (origin === undefined || origin === originBefore(transcript, position)) return "";
  const [, program = "", session = ""] = /^([a-z]+):(.+)$/.exec(origin) ?? [];
  const name = PROGRAMS.get(program);
  return name === undefined || session === "" ? origin : `imported from ${name}`;
}

function originBefore(transcript: Transcript, position: number): string | undefined {
  for (let at = position - 1; at >= Math.max(0, position - LOOKBACK_MAX); at -= 1) {
    const message = messageAt(transcript, at);
    if (message?.kind === "user") return message.origin;
  }
  return undefined;
}
