import { test } from "vitest";
import { killAtRandom } from "./kills.ts";

/** `KILLS=20` for a shorter run; two and a half times as many connections are cut. */
const kills = Number(process.env["KILLS"] ?? 200);

test(`${kills} kills and ${kills * 2.5} cut connections lose nothing and double nothing`, async () => {
  const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  process.stdout.write(`SEED=${seed}\n`);
  const plan = { kills, cuts: kills * 2.5, seed };
  process.stdout.write(`${JSON.stringify({ ...plan, ...(await killAtRandom(plan)) })}\n`);
});
