/**
 * Returns memory to the system when a server becomes idle. V8 collects garbage only while it allocates, so an idle server
 * would keep the garbage of its last work.
 */
import { Session } from "node:inspector/promises";
import { systemClock, type Clock } from "../../../kit/clock.ts";

const CHECK_MS = 30_000;
/** CPU time between two checks that counts as idle; heartbeats of open screens take less. */
const QUIET_CPU_MS = 300;
/** CPU time since the last collection below which another is not worth it. */
const WORK_CPU_MS = 1_000;

export interface MemoryWatch {
  readonly clock?: Clock;
  /** CPU time of this process so far. */
  readonly cpuMs?: () => number;
  readonly release?: () => Promise<void>;
}

/** The returned function stops it. */
export function releaseMemoryWhenQuiet(watch: MemoryWatch = {}): () => void {
  const { clock = systemClock, cpuMs = ownCpuMs, release = releaseMemory } = watch;
  let seenMs = cpuMs();
  let releasedMs = 0;
  let cancel = clock.after(CHECK_MS, check);
  function check(): void {
    const nowMs = cpuMs();
    const isQuiet = nowMs - seenMs < QUIET_CPU_MS;
    seenMs = nowMs;
    if (isQuiet && nowMs - releasedMs >= WORK_CPU_MS) {
      releasedMs = nowMs;
      // Failure only costs memory.
      void release().catch(() => {});
    }
    cancel = clock.after(CHECK_MS, check);
  }
  return () => cancel();
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** A full collection, after which V8 returns free pages to the system. */
export async function releaseMemory(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post("HeapProfiler.collectGarbage");
  } finally {
    session.disconnect();
  }
}
