/**
 * Lets the event loop drain pending I/O before a timeout fires. The loop runs timers before reads, so a process that
 * was suspended would time out with the answer already in the pipe.
 */
import { setImmediate } from "node:timers/promises";

/** Data, end of pipe and exit arrive in one tick each. */
const TICKS = 3;

export async function drainBeforeTimeout(): Promise<void> {
  for (let tick = 0; tick < TICKS; tick += 1) await setImmediate();
}
