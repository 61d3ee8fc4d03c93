/** What is said of a command whose holder died or closed the session before it answered, when it must not be repeated. */
import type { AnswerError } from "../../protocol/index.ts";

export const COMMAND_LOST: AnswerError = {
  code: "closed",
  message:
    "The session was closed where it was held before this was answered; the command may or may not have happened.",
  hint: "Look at the session, then repeat the command if it is still wanted.",
};
