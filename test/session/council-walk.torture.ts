/** The big count of the generated group chats; run by `npm run torture`. */
import { expect, test } from "vitest";
import { walkCouncil } from "./council-walk.ts";

test("[S140] 1,000 generated group chats keep order, caps and rounds as an independent count has them", async () => {
  const first = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9));
  console.info(`group chats from seed ${first}`);
  const reasons = new Set<string>();
  for (let seed = first; seed < first + 1_000; seed += 1) {
    const walked = await walkCouncil(seed, 60);
    for (const why of [...walked.settled, ...walked.paused]) reasons.add(why);
  }
  const all = ["cap", "agreed", "interrupted", "superseded", "nobody_left", "all_failed"];
  for (const why of [...all, "turns", "minutes", "tokens", "usd", "restart"]) expect(reasons).toContain(why);
});
