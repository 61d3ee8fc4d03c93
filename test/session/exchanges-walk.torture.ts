import { expect, test } from "vitest";
import { newSeed, walkExchanges } from "./exchanges-walk.ts";

test("in 1,000 random sessions every exchange settles once, none waits for ever and the caps are exact", async () => {
  const first = newSeed();
  console.info(`exchanges from seed ${first}`);
  let exchanges = 0;
  for (let seed = first; seed < first + 1_000; seed += 1) exchanges += (await walkExchanges(seed)).exchanges;
  expect(exchanges).toBeGreaterThan(4_000);
});
