import { expect, test } from "vitest";
import { createFileHome } from "../../test/session/file-home.ts";
import { createMemoryHome } from "../../test/session/memory-home.ts";
import { liveRandomly, type Home } from "../../test/session/random-session.ts";

async function liveAll(lives: number, steps: number, createHome: () => Promise<Home>): Promise<number> {
  const first = Math.floor(Math.random() * 1e9);
  console.info(`random sessions from seed ${first}`);
  let checks = 0;
  for (let seed = first; seed < first + lives; seed += 1) checks += await liveRandomly(seed, createHome, steps);
  return checks;
}

test("[S40] every invariant holds in 4 random session lives with crashes at any point", async () => {
  expect(await liveAll(4, 60, () => createMemoryHome())).toBeGreaterThan(4 * 10);
});

test("[S40] every invariant holds in 2 random session lives on the file log, with crashes", async () => {
  expect(await liveAll(2, 40, () => createFileHome())).toBeGreaterThan(2 * 6);
});
