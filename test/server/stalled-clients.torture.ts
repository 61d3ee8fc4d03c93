/** The whole volume: one client that stopped reading over each carrier, and twenty, while 200 MB go by. */
import { expect, test } from "vitest";
import { floodBesideStalled } from "./stalled-clients.ts";

const MIB = 1024 * 1024;

test.each([1, 10])("%i stalled clients over each carrier during 200 MB", async (stalledEach) => {
  const result = await floodBesideStalled({ bytes: 200 * MIB, stalledEach });
  console.log(
    `${stalledEach} over each carrier: held ${(result.heldGrowthBytes / MIB).toFixed(1)} MiB, resident ${(result.rssGrowthBytes / MIB).toFixed(1)} MiB more`,
  );
  expect(result.areExact).toBe(true);
  expect(result.heldGrowthBytes).toBeLessThan(stalledEach === 1 ? 16 * MIB : 2 * stalledEach * 1.5 * MIB);
});
