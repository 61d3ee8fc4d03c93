/**
 * Timeout that counts active time only, in short steps: a suspended machine adds at most one step. A wall-clock timeout
 * would fire on resume, before pending input is read.
 */
const TICK_MS = 50;

/** Calls back once, unless cancelled by the returned function. */
export function afterActiveTime(limitMs: number, act: () => void): () => void {
  let leftMs = limitMs;
  const timer = setInterval(() => {
    leftMs -= TICK_MS;
    if (leftMs > 0) return;
    clearInterval(timer);
    act();
  }, TICK_MS);
  return () => clearInterval(timer);
}
