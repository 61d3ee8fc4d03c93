import { expect, test } from "vitest";
import { createManualClock } from "../../test/host/manual-clock.ts";
import { createLiveness } from "./monitored-connection.ts";

function watch() {
  const clock = createManualClock();
  const asked: { atMs: number; answer: () => void }[] = [];
  const dead: { atMs: number; reason: string }[] = [];
  const liveness = createLiveness({
    clock,
    ask() {
      const { promise, resolve } = Promise.withResolvers<void>();
      asked.push({ atMs: clock.monotonic(), answer: resolve });
      return promise;
    },
    onDead(reason) {
      dead.push({ atMs: clock.monotonic(), reason });
      liveness.stop();
    },
  });
  return { clock, asked, dead, liveness };
}

async function settle(): Promise<void> {
  for (let step = 0; step < 5; step += 1) await Promise.resolve();
}

test("[C38] a host that is silent for 10 s after a probe, sent every 15 s, is dead", async () => {
  const { clock, asked, dead } = watch();
  clock.advance(15_000);
  asked[0]?.answer();
  await settle();
  clock.advance(24_999);
  expect([asked.map(({ atMs }) => atMs), dead]).toEqual([[15_000, 30_000], []]);
  clock.advance(1);
  expect(dead).toEqual([{ atMs: 40_000, reason: "the host was silent for 40000 ms" }]);
  clock.advance(100_000);
  expect([asked.length, dead.length]).toEqual([2, 1]);
});

test("[C38] a host that sends frames but no answer is dead after 30 s", () => {
  const { clock, dead, liveness } = watch();
  clock.advance(15_000);
  for (let second = 0; second < 29; second += 1) {
    clock.advance(1_000);
    liveness.markReceived();
  }
  expect(dead).toEqual([]);
  clock.advance(1_000);
  expect(dead).toEqual([{ atMs: 45_000, reason: "the host did not answer for 30000 ms" }]);
});

test("[C38] frames that stop before the answer count as silence", () => {
  const { clock, dead, liveness } = watch();
  clock.advance(20_000);
  liveness.markReceived();
  clock.advance(5_000);
  expect(dead).toEqual([]);
  clock.advance(10_000);
  expect(dead).toMatchObject([{ atMs: 35_000 }]);
});

test("a timer that fires late, because this process was suspended, closes no connection", async () => {
  const due: (() => void)[] = [];
  let nowMs = 0;
  const dead: string[] = [];
  const clock = {
    now: () => nowMs,
    monotonic: () => nowMs,
    after(_ms: number, callback: () => void) {
      due.push(callback);
      return () => {};
    },
  };
  let answer = () => {};
  const ask = () => new Promise<void>((resolve) => (answer = resolve));
  createLiveness({ clock, ask, onDead: (reason) => dead.push(reason) });
  nowMs = 15_000;
  due.shift()?.();
  nowMs = 8 * 3_600_000;
  due.shift()?.();
  expect(dead).toEqual([]);
  answer();
  await settle();
  nowMs += 10_000;
  expect([dead, due.length]).toEqual([[], 2]);
});

test("a check probes at once, one probe at a time", async () => {
  const { clock, asked, liveness } = watch();
  liveness.probe();
  liveness.probe();
  expect(asked.map(({ atMs }) => atMs)).toEqual([0]);
  asked[0]?.answer();
  await settle();
  clock.advance(15_000);
  expect(asked.map(({ atMs }) => atMs)).toEqual([0, 15_000]);
  liveness.stop();
  clock.advance(100_000);
  liveness.probe();
  expect(asked.length).toBe(2);
});
