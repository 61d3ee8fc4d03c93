/** A thousand interleavings of concurrent approvals. Takes about two minutes. */
import { expect, test } from "vitest";
import { interleaveMany } from "./approvals.ts";

const seed = Number(process.env["ROUNDTABLE_SEED"] ?? Date.now() % 1_000_000);

test("[S66] in 1,000 interleavings what ran is exactly what was approved", async () => {
  console.log(`approvals seed: ${seed}`);
  for (let begun = 0; begun < 1_000; begun += 100) {
    const { faults } = await interleaveMany({ count: 100, seed: seed + begun });
    expect(faults).toEqual([]);
  }
});
