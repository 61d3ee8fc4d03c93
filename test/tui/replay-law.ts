/** One generated session twice: replayed to some of its events, and opened live when it had come so far. */
import { expect } from "vitest";
import type { SessionEvent } from "../../src/protocol/index.ts";
import { empty, fold } from "../../src/transcript/index.ts";
import { widgetRows } from "../../src/tui/app/chrome/chrome-rows.ts";
import { createTheme } from "../../src/tui/theme/create-theme.ts";
import { sampleLog } from "../generate/session-log.ts";
import { createRandom } from "../log/seeded-random.ts";
import { openApp } from "./open-app.ts";
import { openReplay, type OpenReplay } from "./open-replay.ts";

const SIZES = [
  [80, 24],
  [40, 30],
  [120, 50],
] as const;
/** The row above the draft, the draft and the status: there the replay has its controls. */
const LOWER_ROWS = 5;

/** What a session opened at this seq shows, without what is only there to write and to wait. */
async function liveRows(events: readonly SessionEvent[], columns: number, rows: number): Promise<string[]> {
  const live = await openApp({ columns, rows, events, now: events.at(-1)?.ts ?? 0 });
  try {
    await live.settle();
    return talk(live.cells(), events);
  } finally {
    await live.close();
  }
}

function talk(cells: readonly string[], events: readonly SessionEvent[]): string[] {
  const { head } = fold(empty("session"), events);
  const below = widgetRows(head, "below", createTheme({ name: "none", depth: "none" })).length;
  return cells.slice(0, cells.length - LOWER_ROWS - below);
}

/** A request that waits lies over a live session; in a replay there is nobody to answer it. */
function isUncovered(events: readonly SessionEvent[]): boolean {
  return fold(empty("session"), events).head.requests.length === 0;
}

async function goToSeq(replay: OpenReplay, seq: number): Promise<void> {
  replay.type("g");
  await replay.settle();
  for (const digit of String(seq)) replay.type(digit);
  replay.type("\r");
  await replay.settle();
}

export interface LawOptions {
  readonly seed: number;
  readonly steps: number;
  /** How many events are looked at beside the last. */
  readonly positions: number;
}

export async function expectReplayLikeLive({ seed, steps, positions: count }: LawOptions): Promise<void> {
  const random = createRandom(seed);
  const [columns, rows] = SIZES[seed % SIZES.length] ?? SIZES[0];
  const events = sampleLog(seed, { steps, damage: seed % 2 === 0 });
  const replay = await openReplay({ columns, rows, events });
  const positions = Array.from({ length: count }, () => 1 + Math.floor(random() * (events.length - 1)));
  let compared = 0;
  for (const step of [events.length, ...positions, events.length]) {
    const upTo = events.slice(0, step);
    if (!isUncovered(upTo)) continue;
    await goToSeq(replay, upTo.at(-1)?.seq ?? 0);
    expect(talk(replay.cells(), upTo), `seed ${seed}, step ${step}`).toEqual(await liveRows(upTo, columns, rows));
    compared += 1;
  }
  expect(compared, `seed ${seed}`).toBeGreaterThan(0);
  await replay.close();
}
