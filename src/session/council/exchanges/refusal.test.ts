import { expect, test } from "vitest";
import { waitCycle } from "./refusal.ts";
import { createRandom } from "../../../../test/session/random.ts";

test("[S154] a circle is found at any length, and named in order", () => {
  const waiting = [
    { from: "a", to: "b" },
    { from: "b", to: "c" },
    { from: "b", to: "d" },
    { from: "d", to: "e" },
  ];
  expect(waitCycle(waiting, { from: "e", to: "a" })).toEqual(["a", "b", "d", "e"]);
  expect(waitCycle(waiting, { from: "c", to: "e" })).toBeUndefined();
  expect(waitCycle([], { from: "a", to: "a" })).toEqual(["a"]);
});

test("[S154] whichever questions are accepted, at least one member waits for no other", () => {
  const seed = Math.floor(Math.random() * 1e9);
  const random = createRandom(seed);
  const names = ["a", "b", "c", "d", "e", "f"];
  for (let run = 0; run < 200; run += 1) {
    const waiting: { from: string; to: string }[] = [];
    for (let step = 0; step < 30; step += 1) {
      const edge = { from: random.pick(names), to: random.pick(names) };
      if (waitCycle(waiting, edge) === undefined) waiting.push(edge);
      const left = new Set(names);
      let hasChanged = true;
      while (hasChanged) {
        hasChanged = false;
        for (const name of left) {
          if (waiting.some((one) => one.from === name && left.has(one.to))) continue;
          hasChanged = left.delete(name);
        }
      }
      expect([seed, left.size]).toEqual([seed, 0]);
    }
  }
});
