import { expect, test } from "vitest";
import { createMemoryHome } from "../../test/session/memory-home.ts";
import { liveRandomly } from "../../test/session/random-session.ts";

const LIVES = 40;
const STEPS = 60;

test(`[S40] ${LIVES} random lives of a session with crashes keep every promise`, async () => {
  const first = Math.floor(Math.random() * 1e9);
  console.info(`random sessions from seed ${first}`);
  let checks = 0;
  for (let seed = first; seed < first + LIVES; seed += 1)
    checks += await liveRandomly(seed, () => createMemoryHome(), STEPS);
  expect(checks).toBeGreaterThan(LIVES * 10);
}, 120_000);
