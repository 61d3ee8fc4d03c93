import { expect, test } from "vitest";
import { walkCouncil } from "./council-walk.ts";

test("[S140] generated group chats keep order, caps and rounds as an independent count from the raw log has them", async () => {
  const first = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9));
  console.info(`group chats from seed ${first}`);
  const reasons = new Set<string>();
  let rounds = 0;
  // Every way a discussion can end or pause comes up, so none of the rules was idle.
  const expected = ["cap", "agreed", "interrupted", "superseded", "turns", "restart"];
  const isDone = (walks: number) => walks >= 30 && expected.every((why) => reasons.has(why));
  for (let seed = first; seed < first + 150 && !isDone(seed - first); seed += 1) {
    const walked = await walkCouncil(seed, 35);
    for (const why of [...walked.settled, ...walked.paused]) reasons.add(why);
    for (const count of walked.rounds.values()) rounds += count;
  }
  for (const why of expected) expect(reasons).toContain(why);
  expect(rounds).toBeGreaterThan(15);
});
