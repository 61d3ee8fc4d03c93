/** The big counts: 10,000 faults, 1,000 lost answers and 100 kills on each carrier. Takes about half an hour. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { carriers } from "./carriers.ts";
import { FAULTLESS } from "./check-view.ts";
import { loseAnswers } from "./lost-answers.ts";
import { runChaos } from "./chaos-run.ts";
import { restartOften } from "./restarts.ts";
import { ServedSession } from "./served-session.ts";

const seed = Number(process.env["ROUNDTABLE_SEED"] ?? Date.now() % 1_000_000);
const CLIENTS = 20;
let served: ServedSession;

beforeAll(async () => {
  console.log(`chaos seed: ${seed}`);
  served = await ServedSession.start();
});
afterAll(() => served.close());

test.each([...carriers, "event-stream"] as const)("10,000 faults on %s, 200 at a time", async (carrier) => {
  let slowestMs = 0;
  for (let round = 0; round < 50; round += 1) {
    const options = { served, carrier, clients: CLIENTS, faults: 200, seed: seed + round };
    const { caughtUpMs, judgements } = await runChaos(options);
    slowestMs = Math.max(slowestMs, caughtUpMs);
    expect(judgements, `seed ${seed + round}`).toEqual(Array.from({ length: CLIENTS }, () => FAULTLESS));
  }
  console.log(`${carrier}: caught up in ${Math.round(slowestMs)} ms at most`);
  expect(slowestMs).toBeLessThan(1_000);
});

test.each(carriers)("[C46] 1,000 lost answers on %s", async (carrier) => {
  const { refused, wrong } = await loseAnswers({ served, carrier, count: 1_000, seed });
  expect([wrong, refused]).toEqual([[], 0]);
});

test("[C47] 100 kills", async () => {
  for (let round = 0; round < 10; round += 1) {
    const { refused, judgements, wrong } = await restartOften({ kills: 10, seed: seed + round });
    expect([judgements, wrong, refused], `seed ${seed + round}`).toEqual([[FAULTLESS, FAULTLESS], [], 0]);
  }
});
