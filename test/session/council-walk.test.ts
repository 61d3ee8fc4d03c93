import { expect, test } from "vitest";
import { walkCouncil } from "./council-walk.ts";

test("[S140] 100 generated group chats keep order, caps and rounds as an independent count from the raw log has them", async () => {
  const first = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9));
  console.info(`group chats from seed ${first}`);
  const reasons = new Set<string>();
  let rounds = 0;
  for (let seed = first; seed < first + 100; seed += 1) {
    const walked = await walkCouncil(seed, 35);
    for (const why of [...walked.settled, ...walked.paused]) reasons.add(why);
    for (const count of walked.rounds.values()) rounds += count;
  }
  // Every way a discussion can end or pause has come up, so none of the rules was idle.
  for (const why of ["cap", "agreed", "interrupted", "superseded", "turns", "restart"]) expect(reasons).toContain(why);
  expect(rounds).toBeGreaterThan(50);
});
