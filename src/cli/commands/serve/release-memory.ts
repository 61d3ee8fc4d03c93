/**
 * Gives memory back when a server has become quiet. V8 looks for garbage only while it allocates: what the last work left
 * behind would otherwise stay for as long as nothing is done.
 */
import { Session } from "node:inspector/promises";
import { systemClock, type Clock } from "../../../kit/clock.ts";

const CHECK_MS = 30_000;
/** CPU between two looks. Heartbeats and pings of open screens are less. */
const QUIET_CPU_MS = 300;
/** CPU since memory was last given back. Less work leaves nothing that is worth it. */
const WORK_CPU_MS = 1_000;

export interface MemoryWatch {
  readonly clock?: Clock;
  /** What this process has used so far. */
  readonly cpuMs?: () => number;
  readonly release?: () => Promise<void>;
}

/** Ended by the returned function. */
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
      // Without it the process is larger than it need be, and that is all.
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

/** A whole collection, after which V8 gives free pages back to the system. */
export async function releaseMemory(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post("HeapProfiler.collectGarbage");
  } finally {
    session.disconnect();
  }
}
