/**
 * A limit on what the process does while it is let: counted in short waits, of which a pause of the machine is one, however
 * long it is. A limit on the clock would be over at the end of the pause, before what arrived meanwhile is read.
 */
const TICK_MS = 50;

/** Acts once, unless the returned function was called before. */
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
