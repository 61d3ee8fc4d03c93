/** The big count of `kill -9` at random moments of streaming: 1,000. */
import { expect, test } from "vitest";
import { killLoop } from "./kill-loop.ts";

const seed = Number(process.env["ROUNDTABLE_SEED"] ?? Date.now() % 1_000_000);

test("[L41] 1,000 kills lose, double or break nothing that was delivered", async () => {
  console.log(`kill -9 seed: ${seed}`);
  expect(await killLoop({ kills: 1_000, killsPerSession: 10, seed })).toEqual([]);
});
