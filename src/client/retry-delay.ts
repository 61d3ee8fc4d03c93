/** When to try again: exponential with full jitter, so that the clients of a restarted host do not come back all at once. */
export const RETRY_MS_MAX = 10_000;
const FIRST_RETRY_MS_MAX = 250;
/** Beyond this the cap holds anyway, and 2 ** attempt stays a number. */
const DOUBLINGS_MAX = 16;

/** `attempt` counts from 1, `random` is in [0, 1). */
export function retryDelayMs(attempt: number, random: number): number {
  const ceiling = Math.min(RETRY_MS_MAX, FIRST_RETRY_MS_MAX * 2 ** Math.min(attempt - 1, DOUBLINGS_MAX));
  return Math.floor(random * ceiling);
}
