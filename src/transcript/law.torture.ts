/** The central law with a run time of hours. SEED=… repeats a run. */
import { describe, test } from "vitest";
import {
  expectTotals,
  expectFrozenPagesStay,
  expectLaw,
  expectLawAtEverySeq,
  expectLawWithPagesDropped,
} from "../../test/generate/law.ts";
import { sampleLog } from "../../test/generate/session-log.ts";

const SEED = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const LOGS = Number(process.env["LOGS"] ?? 200);

describe(`generated logs, SEED=${SEED} LOGS=${LOGS}`, () => {
  test.each(Array.from({ length: 10 }, (_, share) => share))("[T1][T2][T3] share %i of 10", (share) => {
    for (let seed = SEED + share; seed < SEED + LOGS; seed += 10) {
      expectLawAtEverySeq(sampleLog(seed, { steps: 40, damage: true }).slice(0, 80));
      const events = sampleLog(seed, { steps: 400, damage: seed % 2 === 0 });
      expectLaw(events, [0, events.length >> 2, events.length >> 1, events.length - 1]);
      expectLawWithPagesDropped(events, { everySeqs: 211 });
      expectFrozenPagesStay(events);
      expectTotals(events);
    }
  });
});
