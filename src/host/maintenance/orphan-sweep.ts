/**
 * Ends, once in a host's life, what dead hosts of its data directory left running.
 * Promises: nobody waits for it while the host starts; a host that leaves early still does it, and then waits for it
 * only so long; a sweep that fails is one sentence, never the end of the host.
 */
import type { Agents, Orphan } from "../../agents/index.ts";
import type { Clock } from "../../kit/clock.ts";

/** Looking at every process of the machine takes a few milliseconds that the first answer should have. */
const SWEEP_AFTER_MS = 500;
const CLOSE_WAIT_MS = 1_500;

export interface OrphanSweep {
  close(): Promise<void>;
}

export interface OrphanSweepDeps {
  endOrphans: Agents["endOrphans"];
  warn: (sentence: string) => void;
  clock: Clock;
}

export function startOrphanSweep({ endOrphans, warn, clock }: OrphanSweepDeps): OrphanSweep {
  let sweep: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    cancel();
    return (sweep ??= sweepOnce(endOrphans, warn));
  };
  const cancel = clock.after(SWEEP_AFTER_MS, () => void begin());
  return {
    async close() {
      const late = Promise.withResolvers<void>();
      const stopWaiting = clock.after(CLOSE_WAIT_MS, () => late.resolve());
      await Promise.race([begin(), late.promise]);
      stopWaiting();
    },
  };
}

async function sweepOnce(endOrphans: Agents["endOrphans"], warn: (sentence: string) => void): Promise<void> {
  try {
    const { left } = await endOrphans();
    if (left.length > 0) warn(`${describe(left)} of an earlier run could not be ended; see roundtable doctor`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    warn(`what an earlier run may have left running could not be looked for: ${why}`);
  }
}

function describe(orphans: readonly Orphan[]): string {
  const pids = orphans.map((orphan) => orphan.pid).join(", ");
  return orphans.length === 1 ? `process ${pids}` : `processes ${pids}`;
}
