import { expect, test } from "vitest";
import { walkRequests } from "../../../test/session/request-walk.ts";

test("in 30 random sequences each request is settled once, by an offered choice, and the grants are those in the log", async () => {
  const first = Math.floor(Math.random() * 1e9);
  console.info(`random requests from seed ${first}`);
  let settled = 0;
  for (let seed = first; seed < first + 30; seed += 1) {
    const walked = await walkRequests(seed);
    expect({ seed, wrong: walked.wrong }).toEqual({ seed, wrong: [] });
    settled += walked.settled;
  }
  expect(settled).toBeGreaterThan(90);
});
