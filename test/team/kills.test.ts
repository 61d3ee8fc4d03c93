import { describe, test } from "vitest";
import { hasPostgres } from "./database.ts";
import { killAtRandom } from "./kills.ts";

describe.runIf(hasPostgres)("a team whose parts are killed", () => {
  test("loses nothing that was acknowledged and does nothing twice", async () => {
    await killAtRandom({ kills: 4, cuts: 6, seed: Number(process.env["SEED"] ?? 29) });
  });
});
