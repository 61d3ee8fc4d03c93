import { expect, test } from "vitest";
import { newSeed, walkExchanges } from "./exchanges-walk.ts";

const WALKS = 100;

test("[S172] in 100 random tables every exchange settles once, nobody waits for ever and the caps are exact", async () => {
  const first = newSeed();
  console.info(`exchanges from seed ${first}`);
  let [exchanges, answered] = [0, 0];
  for (let seed = first; seed < first + WALKS; seed += 1) {
    const walked = await walkExchanges(seed);
    exchanges += walked.exchanges;
    answered += walked.answered;
  }
  expect(exchanges).toBeGreaterThan(4 * WALKS);
  expect(answered).toBeGreaterThan(WALKS);
});
