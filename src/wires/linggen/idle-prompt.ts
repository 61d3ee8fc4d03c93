/** Messages that nobody typed: a member that had been idle for its interval was given its standing prompt. */
export const IDLE_ORIGIN = "idle-prompt";

export function isIdlePrompt(origin: string | undefined): boolean {
  return origin === IDLE_ORIGIN;
}
