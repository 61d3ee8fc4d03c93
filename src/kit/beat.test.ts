import { expect, test } from "vitest";
import { createFakeClock } from "../../test/session/fake-clock.ts";
import { SECOND_BEAT_MS, TWO_BEATS_MS, beatOf } from "./beat.ts";
import { systemClock } from "./clock.ts";

test("[A560] all who wait for the beat of a clock wake by one timer, whenever they began to wait", async () => {
  const clock = createFakeClock();
  const woken: string[] = [];
  beatOf(clock).begin(() => woken.push(`first at ${clock.monotonic()}`));
  await clock.advance(20);
  beatOf(clock).begin(() => woken.push(`second at ${clock.monotonic()}`));
  expect(clock.timers).toBe(1);
  await clock.advance(SECOND_BEAT_MS - 21);
  expect(woken).toEqual([]);
  await clock.advance(1);
  expect(woken).toEqual([`first at ${SECOND_BEAT_MS}`, `second at ${SECOND_BEAT_MS}`]);
  expect(clock.timers).toBe(0);
});

test("[A560] two beats come close to each other, then there is a rest", async () => {
  const clock = createFakeClock();
  const beat = beatOf(clock);
  const beats: number[] = [];
  const waits: number[] = [];
  for (let count = 0; count < 5; count++) {
    waits.push(beat.waitMs);
    beat.begin(() => beats.push(clock.monotonic()));
    await clock.advance(beat.waitMs);
  }
  expect(beats).toEqual([46, 140, 186, 280, 326]);
  expect(waits).toEqual([46, 94, 46, 94, 46]);
});

test("[A560] nobody waits longer than a beat, and who waits again waits for the next one", async () => {
  const clock = createFakeClock();
  const beat = beatOf(clock);
  const waits: number[] = [];
  for (let startMs = 0; startMs < 2 * TWO_BEATS_MS; startMs += 7) {
    const fromMs = clock.monotonic();
    beat.begin(() => {
      waits.push(clock.monotonic() - fromMs);
      beat.begin(() => waits.push(clock.monotonic() - fromMs));
    });
    await clock.advance(7);
  }
  await clock.advance(2 * TWO_BEATS_MS);
  expect(waits.length).toBe(2 * Math.ceil((2 * TWO_BEATS_MS) / 7));
  expect(Math.max(...waits)).toBeLessThanOrEqual(TWO_BEATS_MS + 2);
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
  await clock.advance(TWO_BEATS_MS);
  expect(woken).toEqual(["kept"]);
  beat.begin(() => woken.push("never"))();
  expect(clock.timers).toBe(0);
  await clock.advance(TWO_BEATS_MS);
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
