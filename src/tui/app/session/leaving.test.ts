import { expect, test } from "vitest";
import { createManualClock } from "../../../../test/host/manual-clock.ts";
import { Leaving } from "./leaving.ts";

function setUp({ outlivesScreen = false } = {}) {
  const clock = createManualClock();
  const seen = { working: ["ada", "bob"], said: [] as string[], stops: 0, left: 0 };
  const leaving = new Leaving({
    clock,
    working: () => seen.working,
    outlivesScreen: () => outlivesScreen,
    stopAll: async () => void (seen.stops += 1),
    notify: (text) => void seen.said.push(text),
    leave: () => void (seen.left += 1),
  });
  return { clock, seen, leaving };
}

test("where turns go on without the screen, it leaves at once; with stop it stops them first", async () => {
  const away = setUp({ outlivesScreen: true });
  away.leaving.ask("detach");
  expect(away.seen).toMatchObject({ left: 1, stops: 0 });
  const stopped = setUp({ outlivesScreen: true });
  stopped.leaving.ask("stop");
  expect(stopped.seen).toMatchObject({ left: 0, stops: 1 });
  stopped.seen.working = [];
  await Promise.resolve();
  stopped.clock.advance(100);
  expect(stopped.seen.left).toBe(1);
});

test("a screen that hosts the session waits for running turns and says so", () => {
  const { clock, seen, leaving } = setUp();
  leaving.ask("detach");
  clock.advance(60_000);
  expect(seen).toMatchObject({ left: 0, stops: 0 });
  expect(seen.said).toEqual(["Leaving when ada and bob are done. Esc or Ctrl+C stops them."]);
  seen.working = [];
  clock.advance(100);
  expect(seen.left).toBe(1);
});

test("hurried it stops them, and hurried again it leaves without waiting", () => {
  const { clock, seen, leaving } = setUp();
  leaving.ask("detach");
  leaving.hurry();
  clock.advance(1_000);
  expect(seen).toMatchObject({ stops: 1, left: 0 });
  leaving.hurry();
  expect(seen.left).toBe(1);
});
