/** The random sessions with large counts; run by `npm run torture`. */
import { expect, test } from "vitest";
import { createFileHome } from "../../test/session/file-home.ts";
import { createMemoryHome } from "../../test/session/memory-home.ts";
import { liveRandomly } from "../../test/session/random-session.ts";

test("[S40] every invariant holds in 5,000 random session lives in memory and 200 on the file log", async () => {
  const first = Math.floor(Math.random() * 1e9);
  console.info(`random sessions from seed ${first}`);
  let lives = 0;
  for (let seed = first; seed < first + 5_000; seed += 1, lives += 1)
    await liveRandomly(seed, () => createMemoryHome(), 80);
  for (let seed = first; seed < first + 200; seed += 1, lives += 1)
    await liveRandomly(seed, () => createFileHome(), 60);
  expect(lives).toBe(5_200);
});
