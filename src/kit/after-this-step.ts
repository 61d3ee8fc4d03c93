/**
 * Calls back when what runs now, and every promise that it settles, is through, and before the event loop goes on: a round
 * of the loop, as `setImmediate` takes, would be waited for in front of every first word.
 */
export function afterThisStep(callback: () => void): void {
  queueMicrotask(() => process.nextTick(callback));
}
