import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createManualClock } from "../../../test/host/manual-clock.ts";
import type { SessionEvent } from "../../protocol/index.ts";
import { createTail, type ReadBatch } from "./tail.ts";
import { TeamStoreError } from "./team-store.ts";
import { WakeUps } from "./wake-ups.ts";

const SESSION = "01J0000000000000000000000A";

function setUp() {
  const clock = createManualClock();
  const wakeUps = new WakeUps(clock);
  const over = new AbortController();
  const counts = { stored: 0, reads: 0, isAway: false };
  const readBatch: ReadBatch = async (_, { seq }) => {
    counts.reads += 1;
    await setImmediate();
    if (counts.isAway) throw new TeamStoreError("unavailable", "away");
    const events = Array.from({ length: counts.stored - seq }, (_one, at) => ({ seq: seq + at + 1, epoch: 1 }));
    return { events: events as SessionEvent[], isWhole: true };
  };
  const tail = createTail(readBatch, wakeUps, over.signal);
  const follow = () => {
    const batches: (readonly SessionEvent[])[] = [];
    void (async () => {
      for await (const batch of tail(SESSION, { epoch: 0, seq: 0 }, over.signal)) batches.push(batch);
    })();
    return batches;
  };
  const store = async (seq: number): Promise<void> => {
    counts.stored = seq;
    wakeUps.wake(SESSION);
    await settle();
  };
  return { clock, counts, follow, store, end: () => over.abort() };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
}

test("readers that are woken together share one read and its array, and those who wait read nothing", async () => {
  const { clock, counts, follow, store, end } = setUp();
  const readers = Array.from({ length: 50 }, follow);
  await settle();
  expect(counts.reads).toBe(1);
  await store(3);
  await store(5);
  expect(counts.reads).toBe(3);
  for (const batches of readers)
    expect(batches.map((one) => one.map(({ seq }) => seq))).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  expect(new Set(readers.map(([first]) => first)).size).toBe(1);
  clock.advance(60_000);
  await settle();
  expect(counts.reads).toBe(3);
  end();
});

test("a wake-up during a read leads to another one, and a store that is away is asked again", async () => {
  const { clock, counts, follow, store, end } = setUp();
  const batches = follow();
  // The first read is under way.
  await store(2);
  expect(batches.flat().map(({ seq }) => seq)).toEqual([1, 2]);
  counts.isAway = true;
  await store(3);
  counts.isAway = false;
  expect(batches.flat()).toHaveLength(2);
  clock.advance(1_000);
  await settle();
  expect(batches.flat().map(({ seq }) => seq)).toEqual([1, 2, 3]);
  end();
});
