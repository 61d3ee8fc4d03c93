import { expect, test } from "vitest";
import { createHandClock } from "../../../../test/agents/hand-clock.ts";
import { releaseMemory, releaseMemoryWhenQuiet } from "./serve-host.ts";

test("memory is released once after work, when the process was quiet between two checks", () => {
  const clock = createHandClock();
  let cpuMs = 0;
  let released = 0;
  const stop = releaseMemoryWhenQuiet({ clock, cpuMs: () => cpuMs, release: async () => void (released += 1) });
  const afterUsing = (ms: number) => {
    cpuMs += ms;
    clock.advance(30_000);
    return released;
  };
  // Too little work; busy; quiet; still quiet; busy again; quiet.
  expect([200, 5_000, 10, 10, 2_000, 100].map(afterUsing)).toEqual([0, 0, 1, 1, 1, 2]);
  stop();
  expect(clock.waiting()).toBe(0);
});

test("unreachable objects are collected when memory is released", async () => {
  const gone = new WeakRef({ text: "x".repeat(1_000_000) });
  await releaseMemory();
  expect(gone.deref()).toBeUndefined();
});
