/** A random session's home on the log in memory: commits come late at times, and a crash may keep part of the rest. */
import { createFakeClock, settle } from "./fake-clock.ts";
import { crashedDisk, createDisk, MemoryLog, type MemoryDisk } from "./memory-log.ts";
import type { Home } from "./random-session.ts";

export async function createMemoryHome(disk: MemoryDisk = createDisk(), startMs = 1_700_000_000_000): Promise<Home> {
  const clock = createFakeClock(startMs);
  const log = new MemoryLog(disk, { now: () => clock.now() });
  return {
    log,
    clock,
    events: async () => log.disk.events,
    settle: () => settle(),
    holdCommits: () => log.holdCommits(),
    releaseCommits: () => log.releaseCommits(),
    async crash(random) {
      const next = crashedDisk(log, random.integer(40));
      return createMemoryHome(next, clock.now() + 1_000);
    },
    close: () => log.close(),
  };
}
