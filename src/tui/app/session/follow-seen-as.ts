/** As whom a session is read, while it is open: people join the team and are removed. */
import { type Clock, systemClock } from "../../../kit/clock.ts";
import type { SeenAs } from "../../../protocol/index.ts";

const READ_AGAIN_MS = 60_000;

export interface SeenAsOptions {
  readonly onRead: (seenAs: SeenAs) => void;
  readonly signal: AbortSignal;
  readonly clock?: Clock | undefined;
}

/** Resolves after the first read, or rejects with its error. Later reads are one at a time; their errors are ignored. */
export async function followSeenAs(
  read: () => Promise<SeenAs>,
  { onRead, signal, clock = systemClock }: SeenAsOptions,
): Promise<void> {
  let known = await read();
  let cancel = (): void => {};
  async function readAgain(): Promise<void> {
    const now = await read().catch(() => known);
    if (signal.aborted) return;
    // Without the reader the team could not be read.
    const isBetter = now.me !== undefined || known.me === undefined;
    if (isBetter && JSON.stringify(now) !== JSON.stringify(known)) onRead((known = now));
    wait();
  }
  function wait(): void {
    cancel = clock.after(READ_AGAIN_MS, () => void readAgain());
  }
  onRead(known);
  // One's own server has no team.
  const isTeam = known.me !== undefined || known.owner !== undefined;
  if (!isTeam || signal.aborted) return;
  signal.addEventListener("abort", () => cancel());
  wait();
}
