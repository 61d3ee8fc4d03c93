/** Messages that nobody typed: standing prompts given to members that were idle for their interval. */
import { IDLE_ORIGIN } from "../../../src/host/index.ts";

export function isIdlePrompt(origin: string | undefined): boolean {
  return origin === IDLE_ORIGIN;
}
