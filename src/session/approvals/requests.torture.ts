/** The random requests with a large count; run by `npm run torture`. */
import { expect, test } from "vitest";
import { walkRequests } from "../../../test/session/request-walk.ts";

test("2,000 random sequences settle each request once, by an offered choice", async () => {
  const first = Math.floor(Math.random() * 1e9);
  console.info(`random requests from seed ${first}`);
  for (let seed = first; seed < first + 2_000; seed += 1) {
    expect({ seed, wrong: (await walkRequests(seed)).wrong }).toEqual({ seed, wrong: [] });
  }
});
