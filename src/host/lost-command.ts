/** What is said of a command whose holder died before it answered, when it must not be repeated. */
import type { AnswerError } from "../protocol/index.ts";

export const LOST_COMMAND: AnswerError = {
  code: "closed",
  message: "The process that held the session ended before it answered; the command may or may not have happened.",
  hint: "Look at the session, then repeat the command if it is still wanted.",
};
