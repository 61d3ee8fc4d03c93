import { expect, test } from "vitest";
import { createFakeClock } from "../../test/session/fake-clock.ts";
import { BEAT_MS, beatOf } from "./beat.ts";
import { systemClock } from "./clock.ts";

test("[A560] all who wait for the beat of a clock wake by one timer, whenever they began to wait", async () => {
  const clock = createFakeClock();
  const woken: string[] = [];
  beatOf(clock).begin(() => woken.push(`first at ${clock.monotonic()}`));
  await clock.advance(20);
  beatOf(clock).begin(() => woken.push(`second at ${clock.monotonic()}`));
  expect(clock.timers).toBe(1);
  await clock.advance(BEAT_MS - 21);
  expect(woken).toEqual([]);
  await clock.advance(1);
  expect(woken).toEqual([`first at ${BEAT_MS}`, `second at ${BEAT_MS}`]);
  expect(clock.timers).toBe(0);
});

test("[A560] the beat is even, whoever waits for it", async () => {
  const clock = createFakeClock();
  const beat = beatOf(clock);
  const beats: number[] = [];
  for (let count = 0; count < 3; count++) {
    beat.begin(() => beats.push(clock.monotonic()));
    await clock.advance(BEAT_MS);
  }
  await clock.advance(30);
  beat.begin(() => beats.push(clock.monotonic()));
  await clock.advance(BEAT_MS);
  expect(beats).toEqual([BEAT_MS, 2 * BEAT_MS, 3 * BEAT_MS, 4 * BEAT_MS]);
});

test("[A560] nobody waits longer than a beat, and who waits again waits for the next one", async () => {
  const clock = createFakeClock();
  const beat = beatOf(clock);
  const waits: number[] = [];
  for (let startMs = 0; startMs < 2 * BEAT_MS; startMs += 7) {
    const fromMs = clock.monotonic();
    beat.begin(() => {
      waits.push(clock.monotonic() - fromMs);
      beat.begin(() => waits.push(clock.monotonic() - fromMs));
    });
    await clock.advance(7);
  }
  await clock.advance(2 * BEAT_MS);
  expect(waits.length).toBe(2 * Math.ceil((2 * BEAT_MS) / 7));
  expect(Math.max(...waits)).toBeLessThanOrEqual(2 * BEAT_MS + 2);
  expect(waits.filter((ms) => ms <= 0)).toEqual([]);
});

test("[A560] who cancels is not called, and the last to cancel leaves no timer behind", async () => {
  const clock = createFakeClock();
  const beat = beatOf(clock);
  const woken: string[] = [];
  const cancels = [
    beat.begin(() => woken.push("begin")),
    beat.gather(() => woken.push("gather")),
    beat.gather(() => woken.push("kept")),
  ];
  cancels[0]?.();
  cancels[1]?.();
  await clock.advance(BEAT_MS);
  expect(woken).toEqual(["kept"]);
  beat.begin(() => woken.push("never"))();
  expect(clock.timers).toBe(0);
  await clock.advance(BEAT_MS);
  cancels[2]?.();
  expect(woken).toEqual(["kept"]);
});

test("[A560] what is gathered comes after all that begins, and the beat counts on", async () => {
  const beat = beatOf(systemClock);
  const before = beat.count;
  const order: string[] = [];
  const gathered = new Promise<void>((resolve) => {
    beat.gather(() => {
      order.push("gather");
      resolve();
    });
  });
  // Like a pipe that is read again with the beat: what it brings is there before anything is gathered.
  beat.begin(() => {
    order.push("begin");
    queueMicrotask(() => order.push("read"));
  });
  await gathered;
  expect(order).toEqual(["begin", "read", "gather"]);
  expect(beat.count).toBeGreaterThan(before);
});
