import { expect, test } from "vitest";
import { newSeed, walkExchanges } from "./exchanges-walk.ts";

const WALKS = 30;

test("in 30 random sessions every exchange settles once, none waits for ever and the caps are exact", async () => {
  const first = newSeed();
  console.info(`exchanges from seed ${first}`);
  let [exchanges, answered] = [0, 0];
  for (let seed = first; seed < first + WALKS; seed += 1) {
    const walked = await walkExchanges(seed);
    exchanges += walked.exchanges;
    answered += walked.answered;
  }
  expect(exchanges).toBeGreaterThan(3 * WALKS);
  expect(answered).toBeGreaterThan(WALKS / 2);
});
