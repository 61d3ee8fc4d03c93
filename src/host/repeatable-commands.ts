/** What to do with a command whose holder died before it answered: repeat it where that is safe, else say so. */
import type { AnswerError, CommandType } from "../protocol/index.ts";

/** The first three carry an id of their own, by which a repeat is known; the others state how something shall be. */
const REPEATABLE: ReadonlySet<CommandType> = new Set<CommandType>([
  ...(["send", "steer", "queue_add"] as const),
  ...(["mute", "unmute", "pin", "archive", "rename", "switch_model", "set_settings", "list_files"] as const),
]);

export function isRepeatable(type: CommandType): boolean {
  return REPEATABLE.has(type);
}

export const LOST_COMMAND: AnswerError = {
  code: "closed",
  message: "The process that held the session ended before it answered; the command may or may not have happened.",
  hint: "Look at the session, then repeat the command if it is still wanted.",
};
