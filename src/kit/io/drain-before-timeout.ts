/**
 * Before a limit of time is taken for passed: lets what had come by then be read. A turn of the event loop calls timers
 * before it reads, so a process that was held up would find its limits passed and the answers still in the pipe.
 */
import { setImmediate } from "node:timers/promises";

/** The bytes, the end of a pipe and an exit come in one turn each. */
const TICKS = 3;

export async function drainBeforeTimeout(): Promise<void> {
  for (let tick = 0; tick < TICKS; tick += 1) await setImmediate();
}
