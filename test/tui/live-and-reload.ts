/** One generated session twice: said to an open screen bit by bit, and opened when it was all there. */
import { expect } from "vitest";
import { sampleLog } from "../generate/session-log.ts";
import { createRandom } from "../log/seeded-random.ts";
import { openApp, type OpenApp } from "./open-app.ts";

const SIZES = [
  [80, 24],
  [40, 30],
  [120, 50],
] as const;
/** Long after everything that a generated log says happened: nothing is young in one picture and old in the other. */
const NOW = 1_900_000_000_000;
const PAGES = 3;

export async function expectLiveLikeReload({ seed, steps }: { seed: number; steps: number }): Promise<void> {
  const random = createRandom(seed);
  const [columns, rows] = SIZES[seed % SIZES.length] ?? SIZES[0];
  const events = sampleLog(seed, { steps, damage: seed % 4 === 0 });
  const live = await openApp({ columns, rows, now: NOW });
  for (let from = 0; from < events.length;) {
    const to = Math.min(events.length, from + 1 + Math.floor(random() * 40));
    live.peer.play(events.slice(from, to));
    from = to;
    if (random() < 0.3) await live.settle();
  }
  await live.settle();
  // Text that a member put into the box is put there once, not again at every opening.
  live.app.prompt.replaceText("");
  const read = await openApp({ columns, rows, events, now: NOW });
  try {
    expect(await pages(live), `seed ${seed}`).toEqual(await pages(read));
  } finally {
    await Promise.all([live.close(), read.close()]);
  }
}

/** The end and a few pages before it. */
async function pages(shown: OpenApp): Promise<string[][]> {
  const seen: string[][] = [];
  for (let page = 0; page <= PAGES; page += 1) {
    await shown.settle();
    seen.push(shown.cells());
    // Not by a key, which would be for the request that may be open.
    shown.app.log.pageUp();
  }
  return seen;
}
