/** Messages that nobody typed: a member that had been idle for its interval was given its standing prompt. */
import { IDLE_ORIGIN } from "../../../src/host/index.ts";

export function isIdlePrompt(origin: string | undefined): boolean {
  return origin === IDLE_ORIGIN;
}
