/** Every cut through the whole life of a session: a kill and three power cuts at each operation of the disk. */
import { expect, test } from "vitest";
import { cutAt, operationsOfLife, refusedAt } from "./session-life-cuts.ts";

const seed = Number(process.env["ROUNDTABLE_SEED"] ?? Date.now() % 1_000_000);
const POWER_CUTS = 3;

test("[L81] cut at every operation of a life: whole, nothing acknowledged lost", async () => {
  const operations = await operationsOfLife();
  console.log(`session life seed: ${seed}, ${operations} operations`);
  for (let at = 1; at <= operations; at++) {
    expect({ at, wrong: await cutAt({ at, kind: "kill", seed }) }).toEqual({ at, wrong: [] });
    for (let cut = 0; cut < POWER_CUTS; cut++) {
      const one = { at, kind: "power" as const, seed: seed + at * POWER_CUTS + cut };
      expect({ ...one, wrong: await cutAt(one) }).toEqual({ ...one, wrong: [] });
    }
  }
});

test("[L83] every operation of a life that moves, makes or removes a file refused once: whole", async () => {
  for (const error of ["EIO", "ENOSPC"] as const) {
    for (let at = 1; ; at++) {
      const { hits, wrong } = await refusedAt(at, error);
      expect({ at, error, wrong }).toEqual({ at, error, wrong: [] });
      if (hits > 0) continue;
      expect(at).toBeGreaterThan(200);
      break;
    }
  }
});
